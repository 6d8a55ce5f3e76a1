import type { AskedQuestion, Json } from '@amodal/sdk'
import { fitted } from '../fitted.ts'
import type { Screen } from './screen.ts'

/** Reads the next line of input; `undefined` at its end. */
export type ReadLine = () => Promise<string | undefined>

/**
 * Repeats one question until an answer is valid; `undefined` at the end of input. An empty line
 * skips a field that is optional or has a default: then it has no answer.
 */
export async function askQuestion(
  { text, type = 'text', options = [], default: preset, required }: Omit<AskedQuestion, 'id'>,
  screen: Screen,
  read: ReadLine,
): Promise<{ readonly answer?: Json } | undefined> {
  screen.line(
    `  ? ${text}${preset === undefined ? '' : ` (Enter: ${typeof preset === 'string' ? preset : JSON.stringify(preset)})`}`,
  )
  options.forEach(({ label }, index) => screen.line(`    ${index + 1}. ${label}`))
  for (;;) {
    screen.ask(type === 'boolean' ? '  [y/n] › ' : '  › ')
    const line = (await read())?.trim()
    if (line === undefined) return undefined
    if (line === '' && (preset !== undefined || required === false)) return {}
    const answer = answerIn(line, type, options)
    if (answer !== undefined) return { answer }
    screen.line(`    ${adviceFor(type, options.length)}`)
  }
}

type Options = NonNullable<AskedQuestion['options']>

function answerIn(
  line: string,
  type: NonNullable<AskedQuestion['type']>,
  options: Options,
): Json | undefined {
  if (type === 'boolean') {
    const value = fitted({ type: 'boolean' }, line)
    return typeof value === 'boolean' ? value : undefined
  }
  if (options.length === 0) return line === '' ? undefined : line
  if (type !== 'multi') return chosen(line, options)
  const values = line.split(',').map((part) => chosen(part.trim(), options))
  return values.every((value) => value !== undefined) ? values : undefined
}

/** Finds an option by its number, its label or its value. */
const chosen = (line: string, options: Options): string | undefined =>
  (
    options[Number(line) - 1] ??
    options.find(({ label, value }) => line === value || line.toLowerCase() === label.toLowerCase())
  )?.value

function adviceFor(type: AskedQuestion['type'], count: number): string {
  if (type === 'boolean') return 'Please type y or n.'
  if (count === 0) return 'Please type an answer.'
  return type === 'multi'
    ? `Please type numbers from 1 to ${count}, with commas between them.`
    : `Please type a number from 1 to ${count}.`
}
