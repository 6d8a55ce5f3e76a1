import { slot, type LogLevel } from '@amodal/sdk'

/** A line of the log as it was written: JSON without secrets. */
export interface RecentLine {
  /** Lines of a process are numbered from 1. */
  readonly seq: number
  readonly level: LogLevel
  readonly text: string
}

export interface RecentQuery {
  /** This level and above. */
  readonly level?: LogLevel | undefined
  /** In the text of a line, in upper or lower case. */
  readonly text?: string | undefined
  /** Lines behind this one alone. */
  readonly after?: number | undefined
  readonly limit: number
}

export interface RecentLines {
  /** The newest first. */
  readonly lines: readonly RecentLine[]
  /** The number of the newest line, shown or not. */
  readonly newest: number
  /** Lines that are not in memory any more. */
  readonly dropped: number
}

/** The newest lines of this process. */
export interface RecentLog {
  read(query: RecentQuery): RecentLines
}
export const RecentLog = slot.kernel<RecentLog>('recent-log')

export const SEVERITY: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error']

/** Lines in memory, as many as have room; the oldest go first. */
export class LineRing implements RecentLog {
  readonly #room: number
  #lines: RecentLine[] = []
  /** Where the lines begin that are in use; those before are gone. */
  #start = 0
  #size = 0
  #newest = 0

  /** @param room characters of all lines together */
  constructor(room: number) {
    this.#room = room
  }

  add(level: LogLevel, text: string): void {
    if (text.length > this.#room) return
    this.#lines.push({ seq: ++this.#newest, level, text })
    this.#size += text.length
    while (this.#size > this.#room) this.#size -= this.#lines[this.#start++]?.text.length ?? 0
    // Half of it unused before it is copied: a copy for each line would cost more than the line.
    if (this.#start * 2 > this.#lines.length) {
      this.#lines = this.#lines.slice(this.#start)
      this.#start = 0
    }
  }

  read({ level = 'trace', text = '', after = 0, limit }: RecentQuery): RecentLines {
    const least = SEVERITY.indexOf(level)
    const wanted = text.toLowerCase()
    const lines: RecentLine[] = []
    for (let at = this.#lines.length - 1; at >= this.#start && lines.length < limit; at--) {
      const line = this.#lines[at]
      if (!line || line.seq <= after) break
      if (SEVERITY.indexOf(line.level) < least) continue
      if (wanted === '' || line.text.toLowerCase().includes(wanted)) lines.push(line)
    }
    const held = this.#lines.length - this.#start
    return { lines, newest: this.#newest, dropped: this.#newest - held }
  }
}
