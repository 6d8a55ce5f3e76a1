import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { fileURLToPath } from 'node:url'
import { readCompiled } from './compiled.ts'
import { resolveQuickly } from './resolution.ts'

// PGlite is 9 MB of WebAssembly. By default V8 optimizes what a start has touched of it, at a quarter of the start's
// processor time. With this budget (bytes executed of a function) only what stays hot is optimized, soon after.
setFlagsFromString('--wasm-tiering-budget=1000000000')
const root = new URL('../../', import.meta.url)
resolveQuickly(root.href, readCompiled(fileURLToPath(root)))
const { main } = await import('./cli/main.ts')

// The one place that touches the process: arguments, streams, signals, exit code.

/**
 * One Ctrl-C may arrive several times: from the terminal to the whole group, and from npm and its shell. A service manager
 * may send SIGHUP right behind SIGTERM.
 */
const SAME_SIGNAL_MS = 300

/** What stops a server in good order, with its number. A terminal that is closed sends SIGHUP. */
const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const

const stop = new AbortController()
let first: number | undefined
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // Whoever presses Ctrl-C again does not want to wait for the drain.
    if (first !== undefined && performance.now() - first > SAME_SIGNAL_MS) process.exit(128 + SIGNALS[name])
    first ??= performance.now()
    stop.abort(name)
  })
}
// Nobody reads any more: `amodal inspect | head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop.abort('nobody reads'))

async function* lines(): AsyncGenerator<string, void, undefined> {
  yield* createInterface({ input: process.stdin, terminal: false, signal: stop.signal })
}

process.exitCode = await main({
  argv: process.argv.slice(2), env: process.env, input: lines(), interactive: process.stdin.isTTY === true, signal: stop.signal,
  write: (text) => void process.stdout.write(text), fail: (text) => void process.stderr.write(text),
})
for (const stream of [process.stdout, process.stderr]) if (stream.writableNeedDrain && !stream.destroyed) await once(stream, 'drain')
// Keep-alive sockets and the like must not hold a finished command.
process.exit()
