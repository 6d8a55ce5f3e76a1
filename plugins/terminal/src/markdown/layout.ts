import type { Paint } from '../paint.ts'

/** How blocks are laid out. */
export interface Layout {
  /** Columns of a line. */
  readonly columns: number
  readonly paint: Paint
}

/** What is known of a block that continues one whose beginning is finished. */
export interface Continuation {
  /** Its first line has no bullet, its table no header. */
  readonly continues: boolean
  /** Columns of a table whose first rows are finished. */
  readonly widths?: readonly number[] | undefined
}
