import type { CommandContext, CommandTerminal } from '@amodal/sdk'

const ENTER = /^[\r\n]$/
const BACKSPACE = /^[\b\u007f]$/
const END = '\u0004'
const INTERRUPT = '\u0003'

/**
 * A secret that is typed and not shown, or all of the standard input where nobody sits at the
 * terminal, without its last line break.
 *
 * @returns `undefined` where nothing was typed, or the person gave up
 */
export async function readSecret(
  question: string,
  { terminal, interactive, input, signal }: CommandContext,
): Promise<string | undefined> {
  if (terminal) return typedSecret(question, terminal, signal)
  if (interactive === true) return undefined
  const lines: string[] = []
  for await (const line of input) lines.push(line)
  const text = lines.join('\n')
  return text === '' ? undefined : text
}

/** Single keys, so that the terminal shows none of them. */
async function typedSecret(
  question: string,
  { input, output }: CommandTerminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  output.write(`${question}: `)
  const typed: string[] = []
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const onData = (data: Buffer | string): void => {
    for (const key of String(data)) {
      if (ENTER.test(key)) return resolve(typed.length === 0 ? undefined : typed.join(''))
      if (key === INTERRUPT || key === END) return resolve(undefined)
      if (BACKSPACE.test(key)) typed.pop()
      else typed.push(key)
    }
  }
  const onAbort = (): void => resolve(undefined)
  signal.addEventListener('abort', onAbort, { once: true })
  input.setRawMode(true).setEncoding('utf8').on('data', onData).resume()
  try {
    return await promise
  } finally {
    input.off('data', onData).setRawMode(false).pause()
    signal.removeEventListener('abort', onAbort)
    output.write('\n')
  }
}
