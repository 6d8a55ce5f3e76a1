/** Where a program runs, and what it can read where bubblewrap shows it no more than that. */
export interface Place {
  readonly cwd: string
  readonly readable: readonly string[]
}
