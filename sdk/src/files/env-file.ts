import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { err, ok, type Result } from '@amodal/kernel'
import { writePrivateFile } from './private-file.ts'

/** A value whose quote is not closed on its line. */
const OPEN_QUOTE = /=\s*(?:"(?:[^"\\]|\\.)*|'[^']*)$/
/** Values that need no quotes. */
const PLAIN = /^[\w./:@+=,~-]*$/
const NAME = /^[A-Za-z_]\w{0,99}$/

/**
 * Writes one variable into `.env` of an agent folder, and leaves all other lines as they are. Its
 * owner alone may read the file afterwards.
 *
 * @param dir the agent folder
 * @param value `undefined` removes the variable
 * @returns why it cannot be written, without the value
 * @throws what the file system says where the file cannot be read or written
 * @example
 * assignInEnvFile('./my-agent', 'CRM_TOKEN', token)
 */
export function assignInEnvFile(
  dir: string,
  name: string,
  value: string | undefined,
): Result<void, string> {
  const file = join(dir, '.env')
  if (!NAME.test(name)) return err('a variable has a name such as TICKETS_TOKEN')
  if (value?.includes('\0')) return err('a variable cannot hold the character NUL')
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat?.isSymbolicLink()) return err('.env is a link, which is not followed')
  const lines = (stat ? readFileSync(file, 'utf8') : '').split('\n')
  const isOwn = new RegExp(`^\\s*(export\\s+)?${name}\\s*=`)
  if (lines.some((line) => isOwn.test(line) && OPEN_QUOTE.test(line)))
    return err(`${name} has several lines in .env: change it by hand`)
  const others = lines.filter((line) => !isOwn.test(line))
  while (others.at(-1) === '') others.pop()
  const all = value === undefined ? others : [...others, `${name}=${quoted(value)}`]
  writePrivateFile(file, all.length === 0 ? '' : `${all.join('\n')}\n`)
  return ok(undefined)
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r' }

/** On one line, whatever the value has. */
function quoted(value: string): string {
  if (PLAIN.test(value)) return value
  if (!/['\r\n]/.test(value)) return `'${value}'`
  return `"${value.replaceAll(/["\\\r\n]/g, (char) => ESCAPES[char] ?? `\\${char}`)}"`
}
