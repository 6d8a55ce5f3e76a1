import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** What the odd server writes down of itself. */
export class Journal {
  readonly path: string

  constructor() {
    const dir = mkdtempSync(join(tmpdir(), 'amodal-mcp-journal-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    this.path = join(dir, 'journal')
  }

  get lines(): readonly string[] {
    try {
      return readFileSync(this.path, 'utf8').trim().split('\n')
    } catch {
      return []
    }
  }

  /** The rest of each line that begins so. */
  of(word: string): readonly string[] {
    return this.lines.flatMap((line) =>
      line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : [],
    )
  }
  get pids(): readonly number[] {
    return this.of('start').map(Number)
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
