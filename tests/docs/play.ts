import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentFile, parseJson } from './agent-files.ts'
import { fileOf } from './code.ts'
import { jsonMisfit, streamMisfit, textFits } from './matching.ts'
import { ROOT, says, where, type Block, type Page } from './pages.ts'
import { Workbench } from './workbench.ts'

/** The port that pages speak of. */
const SHOWN = '127.0.0.1:3847'
const CLONE = 'amodal'
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const COMMAND_MS = 60_000
const START_MS = 30_000

/**
 * `npm run amodal` without the installation that stands before it; every other script is for the
 * reader.
 */
const NPM = `npm() {
  case "$1 $2" in
    "run amodal") shift 3; node "$ROOT/cli/dist/bin.js" "$@" ;;
    "start "*) shift; [ $# -gt 0 ] && shift; node "$ROOT/cli/dist/bin.js" dev --dir examples/ops-agent "$@" ;;
    *) echo "npm $* is not run from a page" >&2; return 1 ;;
  esac
}
`

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

export const isPlayed = ({ blocks }: Page): boolean =>
  blocks.some((block) => says(block, 'run') || says(block, 'serve'))

/**
 * Does what a page tells its reader to do, in its order and in a folder of its own. Returns where
 * that failed.
 */
export async function play(page: Page): Promise<readonly string[]> {
  const stage = new Stage()
  const problems: string[] = []
  let last: { readonly block: Block; readonly output: string } | undefined
  try {
    for (const block of page.blocks) {
      const file = agentFile(block)
      if (file && file.folder !== '') stage.bench.write(join(file.folder, file.file), block.text)
      if (block.lang === 'ts') stage.bench.write(join('code', fileOf(block)), block.text)
      if (says(block, 'serve')) await stage.serve(block)
      if (says(block, 'run')) {
        const ended = await stage.run(block)
        if (ended.code !== 0)
          return [
            ...problems,
            `${where(block)}: it failed with ${ended.code}:\n${ended.errors}${ended.output}${stage.log}`,
          ]
        last = { block, output: ended.output }
      }
      if (says(block, 'output')) {
        const misfit = last ? outputMisfit(block, last.output) : 'nothing was run before'
        if (misfit !== undefined) problems.push(`${where(block)}: ${misfit}`)
      }
    }
    return problems
  } catch (cause) {
    return [...problems, `${page.path}: ${cause instanceof Error ? cause.message : String(cause)}`]
  } finally {
    await stage.close()
  }
}

function outputMisfit(told: Block, output: string): string | undefined {
  if (told.lang === 'sse') return streamMisfit(told.text, output)
  if (told.lang !== 'json') return textFits(told.text, output) ? undefined : `it printed\n${output}`
  const { value, problem } = parseJson({ lang: 'json', text: output })
  return problem ?? jsonMisfit(JSON.parse(told.text), value as Parameters<typeof jsonMisfit>[1])
}

/**
 * What a page is played in: a folder that stands for the clone, with the example agent; the
 * reader's own folders beside it; a server.
 */
class Stage {
  readonly bench = new Workbench()
  #port = 0
  #server: ChildProcess | undefined
  #said = ''
  /** The session that was spoken with last. */
  #session = ''

  constructor() {
    cpSync(join(ROOT, 'examples/ops-agent'), join(this.bench.folder, CLONE, 'examples/ops-agent'), {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
  }

  /** What the server has said, for whoever looks for a fault. */
  get log(): string {
    return this.#said === '' ? '' : `\nThe server said:\n${this.#said}`
  }

  async run(block: Block): Promise<Ended> {
    if (block.lang === 'ts') this.bench.write(join('code', fileOf(block)), this.#here(block.text))
    const child = block.lang === 'ts' ? this.#node(fileOf(block)) : this.#shell(block)
    const ended = await finished(child)
    const output = ended.output
      .replaceAll(`127.0.0.1:${this.#port}`, SHOWN)
      .replaceAll(this.bench.folder, '')
    this.#session = [...output.matchAll(/"session_id":"(sess_\w+)"/g)].at(-1)?.[1] ?? this.#session
    return { ...ended, output }
  }

  /** Starts what a page lets run beside the rest, and waits until it answers. */
  async serve(block: Block): Promise<void> {
    await this.#stop()
    this.#port = await freePort()
    const server = this.#shell(block, true)
    this.#server = server
    process.on('exit', this.#kill) // whatever becomes of this test, its server does not outlive it
    const listen = (chunk: Buffer): void => {
      this.#said += chunk.toString()
    }
    server.stdout?.on('data', listen)
    server.stderr?.on('data', listen)
    for (
      const until = Date.now() + START_MS;
      Date.now() < until && server.exitCode === null;
      await sleep(100)
    ) {
      const answer = await fetch(`http://127.0.0.1:${this.#port}/health`).catch(() => undefined)
      if (answer?.ok) return
    }
    throw new Error(`${where(block)}: the server did not start:\n${this.#said}`)
  }

  async close(): Promise<void> {
    await this.#stop()
    this.bench.remove()
  }

  /** Pages speak of one port; the one that is free here is another. */
  #here(text: string): string {
    return text.replaceAll(SHOWN, `127.0.0.1:${this.#port}`)
  }

  /** Code of the page; a test is run as a test. */
  #node(file: string): ChildProcess {
    const code = join(this.bench.folder, 'code')
    return this.#spawn(
      process.execPath,
      file.endsWith('.test.ts') ? [VITEST, 'run', '--root', code, file] : [join(code, file)],
    )
  }

  #shell({ text }: Block, alone = false): ChildProcess {
    const command = this.#here(text)
    return this.#spawn('bash', [
      '-euo',
      'pipefail',
      '-c',
      `${NPM}${alone ? command.replace(/^npm run amodal --/m, 'exec node "$ROOT/cli/dist/bin.js"') : command}`,
    ])
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const { PATH = '', HOME = '' } = process.env
    return spawn(program, args, {
      cwd: join(this.bench.folder, CLONE),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own, to be ended as a whole
      // Without anybody's keys: what a page shows is what a reader sees who has set nothing up.
      env: {
        PATH: [dirname(process.execPath), PATH].join(delimiter),
        HOME,
        ROOT,
        PORT: String(this.#port),
        SESSION: this.#session,
        NODE_NO_WARNINGS: '1',
      },
    })
  }

  readonly #kill = (): void => {
    if (this.#server) end(this.#server, 'SIGKILL')
  }

  async #stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    process.off('exit', this.#kill)
    if (!server || server.exitCode !== null) return
    end(server, 'SIGTERM')
    const late = setTimeout(() => end(server, 'SIGKILL'), 10_000)
    await new Promise((resolve) => server.once('exit', resolve))
    clearTimeout(late)
  }
}

/** Ends a child with all that it has started. */
function end({ pid, exitCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, signal)
}

function finished(child: ChildProcess): Promise<Ended> {
  let output = ''
  let errors = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const late = setTimeout(() => {
    errors += `it did not end within ${COMMAND_MS} ms\n`
    end(child, 'SIGKILL')
  }, COMMAND_MS)
  return new Promise((resolve) =>
    child.once('close', (code) => {
      clearTimeout(late)
      resolve({ code, output, errors })
    }),
  )
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const address = probe.address()
        probe.close(() =>
          resolve(typeof address === 'object' && address !== null ? address.port : 0),
        )
      })
  })
}
