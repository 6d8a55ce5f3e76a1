import { main } from '@amodal/presets/cli'

/** What a command came to: its exit code, both streams, and both as they came. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly said: string
}

/** Runs a command in this process, where nobody sits at the terminal. */
export async function runCommand(
  argv: readonly string[],
  {
    env = {},
    timeoutMs = 120_000,
    onOutput,
    input = [],
  }: {
    readonly env?: Readonly<Record<string, string>>
    readonly timeoutMs?: number
    /** Given all that was printed so far, each time something is. */
    readonly onOutput?: (out: string) => void
    /** Lines of its standard input. */
    readonly input?: readonly string[]
  } = {},
): Promise<Ran> {
  let [out, err, said] = ['', '', '']
  const code = await main({
    argv,
    env,
    signal: AbortSignal.timeout(timeoutMs),
    input: (async function* () {
      yield* input
    })(),
    write: (text) => {
      out += text
      said += text
      onOutput?.(out)
    },
    fail: (text) => {
      err += text
      said += text
    },
  })
  return { code, out, err, said }
}
