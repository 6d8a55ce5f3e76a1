import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLocalToken } from '@amodal/sdk/files'

export const root = join(import.meta.dirname, '../..')
const bin = join(root, 'cli/dist/bin.js')

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** The command line as a process of its own. */
export class Amodal {
  readonly child: ChildProcess
  out = ''
  err = ''
  readonly ended: Promise<Ended>

  constructor(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    // Nothing of the machine's own keys and settings.
    const { PATH = '', HOME = '' } = process.env
    this.child = spawn(process.execPath, [bin, ...argv], {
      cwd: root,
      env: { PATH, HOME, ...env },
      stdio: 'pipe',
    })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.out += text
    })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.err += text
    })
    this.ended = once(this.child, 'close').then(([code, signal]: unknown[]) => ({
      code: typeof code === 'number' ? code : null,
      signal: (signal ?? null) as NodeJS.Signals | null,
      out: this.out,
      err: this.err,
    }))
  }

  type(line: string): void {
    this.child.stdin?.write(`${line}\n`)
  }

  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal)
    return this.ended
  }

  /** Resolves with the match once the output has it; rejects where the process ends first. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.out)
      if (found) return found
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(
          `it ended with ${this.child.exitCode ?? this.child.signalCode}:\n${this.out}\n${this.err}`,
        )
      await new Promise((resolve) => {
        setTimeout(resolve, 10)
      })
    }
  }
}

export interface Server extends AsyncDisposable {
  readonly process: Amodal
  readonly url: string
  /** The token of its folder. */
  readonly credential: string
}

/** `amodal dev` on a folder, on a free port where none is given. */
export async function serve(
  dir: string,
  env: Readonly<Record<string, string>> = {},
  port = 0,
): Promise<Server> {
  const process = new Amodal(['dev', '--dir', dir, '--port', String(port)], env)
  const [, url = ''] = await process.says(/Health +→ (http:\/\/\S+)\/health/)
  return {
    process,
    url,
    credential: readLocalToken(dir) ?? '',
    async [Symbol.asyncDispose]() {
      await process.kill('SIGKILL')
    },
  }
}

/** A copy of the example agent that is nobody else's. */
export async function opsAgent(): Promise<AsyncDisposable & { readonly dir: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-e2e-'))
  await cp(join(root, 'examples/ops-agent'), dir, {
    recursive: true,
    filter: (path) => !path.endsWith('.amodal'),
  })
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
}
