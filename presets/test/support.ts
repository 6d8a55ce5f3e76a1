import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { main } from '../src/cli/main.ts'

/** An agent folder of its own; gone at the end of the block. */
export async function folder(
  files: Readonly<Record<string, string | object>> = {},
): Promise<AsyncDisposable & { readonly dir: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-agent-'))
  for (const [path, content] of Object.entries(files)) {
    const file = join(dir, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  }
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
}

export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Lines that the person types. */
  readonly lines?: readonly string[]
  /** A person types them: they may be asked. */
  readonly interactive?: boolean
  /** Told of everything that is printed; Ctrl-C is its second argument. */
  readonly onOutput?: (text: string, stop: () => void) => void
  readonly signal?: AbortSignal
  /** Folder of the documentation. */
  readonly docs?: string
}

/** Runs a command line in this process. */
export async function amodal(
  argv: readonly string[],
  { docs, env = {}, interactive = false, lines = [], onOutput, signal }: TerminalOptions = {},
): Promise<Said> {
  const stop = new AbortController()
  let out = ''
  let err = ''
  const code = await main({
    argv,
    ...(docs !== undefined && { docs }),
    env: { ...env },
    interactive,
    signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
    input: (async function* () {
      yield* lines
    })(),
    write(text) {
      out += text
      onOutput?.(out, () => stop.abort('SIGINT'))
    },
    fail(text) {
      err += text
    },
  })
  return { code, out, err }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (typeof address !== 'object' || address === null) throw new Error('no free port')
  return address.port
}

/**
 * The source of a plugin `mine` that imports nothing: as it stands, it could come from anywhere.
 */
export function pluginSource(setup = '', more = ''): string {
  return `
    const plugin = { name: 'mine', version: '1.0.0', kernel: 1, requires: {}, optional: {}, provides: [], decorates: [], after: [], config: undefined, reload: 'swap', setup(k) { const { add } = k; ${setup} }, ${more} }
    export default Object.defineProperty(plugin, Symbol.for('amodal.plugin'), { value: true })
  `
}
