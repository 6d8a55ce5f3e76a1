/** Lines of a file that were changed, with those around them. */
export interface DiffHunk {
  /** Number of its first line before and after; from 1. */
  readonly old_start: number
  readonly new_start: number
  /** Each begins with `+`, `-` or a space. */
  readonly lines: readonly string[]
}

/** Changes of a file: the widget `file-diff` of a view. */
export interface FileDiff {
  readonly path: string
  readonly hunks: readonly DiffHunk[]
  /** Instead of lines, such as for a file that is no text. */
  readonly note?: string
}

/**
 * A widget of a view that shows what has changed in a file. Agents cannot show it.
 *
 * @example
 * fileDiff({ path: 'a.txt', hunks: [{ old_start: 1, new_start: 1, lines: ['-a', '+b'] }] })
 */
export const fileDiff = (data: FileDiff) => ({ widget_type: 'file-diff', data }) as const
