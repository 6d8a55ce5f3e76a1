import { chmodSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { err, ok, type Result } from '@amodal/sdk'
import { textAt, writeWhole } from '@amodal/plugin-repo-files/tokens'

const FILE = '.env'
/** A value whose quote is not closed on its line. */
const OPEN_QUOTE = /=\s*(?:"(?:[^"\\]|\\.)*|'[^']*)$/
/** Values that need no quotes. */
const PLAIN = /^[\w./:@+=,~-]*$/

/**
 * Writes one value into `.env`, and leaves all other lines as they are.
 *
 * @param value `undefined` removes it
 * @returns why it cannot be written
 */
export function assigned(
  root: string,
  name: string,
  value: string | undefined,
): Result<void, string> {
  if (lstatSync(join(root, FILE), { throwIfNoEntry: false })?.isSymbolicLink())
    return err('.env is a link, which is not followed')
  const quoted = value === undefined ? ok(undefined) : quotedValue(value)
  if (!quoted.ok) return quoted
  const text = textAt(join(root, FILE)) ?? ''
  const isOwn = new RegExp(`^\\s*(export\\s+)?${name}\\s*=`)
  const open = text.split('\n').find((line) => isOwn.test(line) && OPEN_QUOTE.test(line))
  if (open !== undefined) return err(`${name} has several lines in .env: change it by hand`)
  const others = text.split('\n').filter((line) => !isOwn.test(line))
  while (others.at(-1) === '') others.pop()
  const lines = quoted.value === undefined ? others : [...others, `${name}=${quoted.value}`]
  writeWhole(root, FILE, lines.length === 0 ? '' : `${lines.join('\n')}\n`)
  chmodSync(join(root, FILE), 0o600)
  return ok(undefined)
}

function quotedValue(value: string): Result<string, string> {
  if (/[\r\n\0]/.test(value)) return err('a value of several lines belongs into .env by hand')
  if (PLAIN.test(value)) return ok(value)
  if (!value.includes("'")) return ok(`'${value}'`)
  return ok(`"${value.replaceAll(/["\\]/g, '\\$&')}"`)
}
