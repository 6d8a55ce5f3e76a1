import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { fileURLToPath } from 'node:url'

// PGlite is 9 MB of WebAssembly. By default V8 optimizes what a start has run of it: its parser of
// SQL alone takes 0.7 s of a processor and 600 MB, and is hardly used afterwards. Without, a start
// takes a third less, and turns cost the same.
setFlagsFromString('--liftoff-only')
// What a start compiles is there for the next one. It stands beside the package, since whoever may
// write it may run code here.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/amodal', import.meta.url)))
const { main } = await import('@amodal/presets/cli')
const manifest: unknown = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
const version =
  typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'

/** Of the package; of the clone where it was not packed. */
const docs = ['../docs', '../../docs']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path))

// The one place that touches the process: arguments, streams, signals, exit code.

/**
 * One Ctrl-C may arrive several times: from the terminal to the whole group, and from npm and its
 * shell. A service manager may send SIGHUP right behind SIGTERM.
 */
const SAME_SIGNAL_MS = 300

/** What stops a server in good order, with its number. A terminal that is closed sends SIGHUP. */
const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const

const stop = new AbortController()
let first: number | undefined
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // Whoever presses Ctrl-C again does not want to wait for the drain.
    if (first !== undefined && performance.now() - first > SAME_SIGNAL_MS)
      process.exit(128 + SIGNALS[name])
    first ??= performance.now()
    stop.abort(name)
  })
}
// Nobody reads any more: `amodal inspect | head`.
const unread = new Set<NodeJS.WriteStream>()
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => {
    unread.add(stream)
    stop.abort('nobody reads')
  })

async function* lines(): AsyncGenerator<string, void, undefined> {
  yield* createInterface({ input: process.stdin, terminal: false, signal: stop.signal })
}

/** ms after which a process that runs on was not stopped: there is no shell to continue it. */
const NOT_STOPPED_MS = 1_000

/**
 * Stops this process and those that it was started by, such as npm, as Ctrl-Z does; resolves once
 * the shell continues it.
 */
async function suspend(): Promise<void> {
  const signal = AbortSignal.timeout(NOT_STOPPED_MS)
  const continued = once(process, 'SIGCONT', { signal }).catch(() => undefined)
  process.kill(0, 'SIGTSTP')
  await continued
}

process.exitCode = await main({
  argv: process.argv.slice(2),
  version,
  ...(docs !== undefined && { docs }),
  env: process.env,
  input: lines(),
  interactive: process.stdin.isTTY === true,
  ...(process.stdin.isTTY === true &&
    process.stdout.isTTY === true && {
      terminal: { input: process.stdin, output: process.stdout, suspend },
    }),
  signal: stop.signal,
  write: (text) => void process.stdout.write(text),
  fail: (text) => void process.stderr.write(text),
})
for (const stream of [process.stdout, process.stderr])
  // One that nobody reads any more is never drained.
  if (stream.writableNeedDrain && !stream.destroyed && !unread.has(stream))
    await Promise.race([once(stream, 'drain'), once(stream, 'error')])
// Keep-alive sockets and the like must not hold a finished command.
process.exit()
