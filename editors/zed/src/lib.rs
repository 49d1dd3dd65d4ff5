// Tells Zed how the language server is started: `erelong lsp`, found on the search path.
use zed_extension_api as zed;

struct Erelong;

impl zed::Extension for Erelong {
    fn new() -> Self {
        Erelong
    }

    fn language_server_command(
        &mut self,
        _server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<zed::Command> {
        let command = worktree
            .which("erelong")
            .ok_or("the program erelong is not on the search path")?;
        Ok(zed::Command {
            command,
            args: vec!["lsp".to_string()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Erelong);
