#ifndef TREE_SITTER_ERELONG_H_
#define TREE_SITTER_ERELONG_H_

typedef struct TSLanguage TSLanguage;

#ifdef __cplusplus
extern "C" {
#endif

const TSLanguage *tree_sitter_erelong(void);

#ifdef __cplusplus
}
#endif

#endif // TREE_SITTER_ERELONG_H_
