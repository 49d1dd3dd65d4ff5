---- MODULE CSV ----
\* Tables in files. A verification reads and writes no files, so that its verdict depends on nothing
\* but the specification.
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Refused(name) == Assert(FALSE, name \o " is not supported: no files are read or written")

CSVWrite(template, val, file) == Refused("CSVWrite")
CSVWriteRecord(record, delim, headers, file) == Refused("CSVWriteRecord")
CSVRead(columns, delimiter, file) == Refused("CSVRead")
CSVRecords(file) == Refused("CSVRecords")
====
