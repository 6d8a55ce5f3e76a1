/** Where a program runs, and which paths of the machine a sandbox shows it besides the system. */
export interface Place {
  readonly cwd: string
  readonly readable: readonly string[]
  /** Folders that the program may change; only `bubblewrap` and `namespaces` have them. */
  readonly writable?: readonly WritableFolder[]
}

/** A folder of the machine that the program sees at another path. */
export interface WritableFolder {
  /** Absolute path on the machine. */
  readonly path: string
  /** Absolute path inside the sandbox, such as `/workspace`. */
  readonly at: string
}
