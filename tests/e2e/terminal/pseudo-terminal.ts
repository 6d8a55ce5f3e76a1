import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import xterm from '@xterm/headless'
import { root } from '../server.ts'

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** `amodal` on a pseudo-terminal, with a terminal emulator that reads what it writes. */
export class PseudoTerminal implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #screen: xterm.Terminal
  readonly #ended: Promise<number | null>
  #parsed: Promise<void> = Promise.resolve()
  /** Bytes written so far. */
  bytes = 0
  /** What was written, as it was written. */
  raw = ''
  /** Times at which something was written, in ms. */
  readonly writes: number[] = []

  constructor(
    argv: readonly string[],
    { columns, rows }: TerminalSize,
    env: Readonly<Record<string, string>> = {},
  ) {
    this.#screen = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: 100_000,
      allowProposedApi: true,
    })
    const { PATH = '', HOME = '' } = process.env
    this.#child = spawn(
      'python3',
      [
        join(import.meta.dirname, 'run_on_pty.py'),
        String(columns),
        String(rows),
        process.execPath,
        join(root, 'cli/dist/bin.js'),
        ...argv,
      ],
      { cwd: root, env: { PATH, HOME, TERM: 'xterm-256color', ...env }, stdio: 'pipe' },
    )
    const decoder = new TextDecoder()
    this.#child.stdout?.on('data', (data: Buffer) => {
      this.bytes += data.length
      this.raw += decoder.decode(data, { stream: true })
      this.writes.push(performance.now())
      this.#parsed = new Promise((resolve) => {
        this.#screen.write(data, resolve)
      })
    })
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.raw += data.toString()
    })
    this.#ended = once(this.#child, 'close').then(([code]: unknown[]) =>
      typeof code === 'number' ? code : null,
    )
  }

  type(text: string): void {
    this.#command({ write: text })
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#screen.resize(columns, rows)
    this.#command({ resize: [columns, rows] })
  }

  signal(number: number): void {
    this.#command({ signal: number })
  }

  /**
   * The lines of the scrollback and of the screen, without empty ones at their end. What the
   * terminal itself has broken into rows, as it does when it gets narrower, is one line.
   */
  async lines(): Promise<readonly string[]> {
    await this.#parsed
    const { active } = this.#screen.buffer
    const lines: string[] = []
    for (let at = 0; at < active.length; at++) {
      const row = active.getLine(at)
      const isLastRow = active.getLine(at + 1)?.isWrapped !== true
      const text = row?.translateToString(isLastRow) ?? ''
      if (row?.isWrapped === true) lines.push((lines.pop() ?? '') + text)
      else lines.push(text)
    }
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
  }

  /** The lines that are on the screen. */
  async visible(): Promise<readonly string[]> {
    await this.#parsed
    const { active } = this.#screen.buffer
    return Array.from(
      { length: this.#screen.rows },
      (_, at) => active.getLine(active.baseY + at)?.translateToString(true) ?? '',
    )
  }

  async text(): Promise<string> {
    return (await this.lines()).join('\n')
  }

  /**
   * Resolves with the match once the terminal shows it; rejects where the program ends first.
   *
   * @param ms after which it rejects, with what the terminal shows
   */
  async shows(pattern: RegExp, ms = 40_000): Promise<RegExpExecArray> {
    const late = performance.now() + ms
    for (;;) {
      const text = await this.text()
      const found = pattern.exec(text)
      if (found) return found
      const { exitCode } = this.#child
      if (exitCode !== null || performance.now() > late) {
        const why = exitCode === null ? `it does not show ${String(pattern)}` : `ended: ${exitCode}`
        throw new Error(`${why}:\n${text.slice(-4_000)}\n${JSON.stringify(this.raw.slice(-1_000))}`)
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
    }
  }

  /** Resolves once the program has ended. */
  get ended(): Promise<number | null> {
    return this.#ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) this.#command({ signal: 9 })
    this.#child.stdin?.end()
    await this.#ended
  }

  #command(command: object): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`)
  }
}
