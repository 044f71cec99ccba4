/** A tree of instruction files: what is there, and from where the CLI is started. */
export interface Tree {
  name: string
  /**
   * Paths and texts. A `#` in a text stands for the mark of the file, and `true` for a text that is
   * only that. `~/` is the home directory of the CLI. Texts are Latin-1, so that they can hold any byte.
   */
  files: Record<string, string | true | { link: string }>
  /** Where the CLI is started. */
  cwd: string
  /** The repositories. `repo` by default. */
  git?: string[]
  /** More variables of the environment. */
  env?: Record<string, string>
  /** What arrives, where the preset has something else on purpose. */
  tool?: { arrives: string[]; because: string }
}
