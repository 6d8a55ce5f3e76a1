import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

const HASH = /^[0-9a-f]{40,64}$/

/** The commit that is checked out where a folder is; `undefined` where it is in no repository. */
export async function commitOf(folder: string): Promise<string | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = await headOf(join(at, '.git'))
    if (found !== undefined || dirname(at) === at) return found
  }
}

async function headOf(git: string): Promise<string | undefined> {
  const head = (await text(join(git, 'HEAD')))?.trim()
  if (head === undefined || HASH.test(head)) return head
  const [, ref] = /^ref: (refs\/[\w./-]+)$/.exec(head) ?? []
  if (ref === undefined || ref.includes('..')) return undefined
  const loose = (await text(join(git, ref)))?.trim()
  if (loose !== undefined) return HASH.test(loose) ? loose : undefined
  const packed = (await text(join(git, 'packed-refs'))) ?? ''
  return packed
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`))
    ?.split(' ')[0]
}

const text = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(() => undefined)
