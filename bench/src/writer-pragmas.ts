/** Those of the embedded store's writer, of which a test makes sure. */
export const WRITER_PRAGMAS = [
  "journal_mode = WAL",
  "synchronous = FULL",
  `journal_size_limit = ${16 * 1024 * 1024}`,
  "foreign_keys = ON",
  "secure_delete = ON",
  "trusted_schema = OFF",
  "cell_size_check = ON",
] as const;
