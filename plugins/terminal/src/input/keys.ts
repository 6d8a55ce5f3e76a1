import type { Key } from 'ink'
import type { Edit } from './draft.ts'

/** What a person wants by a key. */
export type Intent =
  | { readonly kind: 'edit'; readonly edit: Edit }
  | { readonly kind: 'type'; readonly text: string }
  | {
      readonly kind:
        | 'enter'
        | 'newline'
        | 'escape'
        | 'complete'
        | 'interrupt'
        | 'end-of-input'
        | 'suspend'
        | 'page-up'
        | 'page-down'
    }

type Named = Exclude<Intent, { readonly kind: 'edit' | 'type' }>['kind']

const CONTROL_EDITS: Readonly<Record<string, Edit>> = {
  a: 'line-start',
  e: 'line-end',
  b: 'left',
  f: 'right',
  p: 'up',
  n: 'down',
  h: 'backspace',
  w: 'delete-word',
  u: 'delete-to-start',
  k: 'delete-to-end',
}

const CONTROL_KEYS: Readonly<Record<string, Named>> = {
  c: 'interrupt',
  d: 'end-of-input',
  z: 'suspend',
  j: 'newline',
  m: 'enter',
}

const META_EDITS: Readonly<Record<string, Edit>> = { b: 'word-left', f: 'word-right' }

/** The intents of a key, or of text that came at once. */
export function intentsOf(input: string, key: Key): readonly Intent[] {
  const named = namedIntent(key) ?? editIntent(key)
  if (named) return [named]
  if (key.ctrl) return controlIntents(input)
  if (key.meta) {
    const edit = META_EDITS[input]
    if (input === '\r') return [{ kind: 'newline' }]
    return edit ? [{ kind: 'edit', edit }] : []
  }
  return typed(input)
}

function controlIntents(letter: string): readonly Intent[] {
  const [edit, other] = [CONTROL_EDITS[letter], CONTROL_KEYS[letter]]
  if (edit) return [{ kind: 'edit', edit }]
  return other ? [{ kind: other }] : []
}

/** Keys that were pressed faster than they were read come as one text. */
const typed = (input: string): readonly Intent[] =>
  input.split(/([\u0001-\u0008\u000a-\u001a\u007f])/).flatMap((part, at): readonly Intent[] => {
    if (part === '') return []
    if (at % 2 === 0) return [{ kind: 'type', text: part }]
    if (part === '\u007f') return [{ kind: 'edit', edit: 'backspace' }]
    return controlIntents(String.fromCharCode(part.charCodeAt(0) + LETTERS))
  })

/** From a control character to its letter. */
const LETTERS = 96

function namedIntent(key: Key): Intent | undefined {
  if (key.return) return { kind: key.meta || key.shift ? 'newline' : 'enter' }
  if (key.escape) return { kind: 'escape' }
  if (key.tab) return { kind: 'complete' }
  if (key.pageUp) return { kind: 'page-up' }
  return key.pageDown ? { kind: 'page-down' } : undefined
}

function editIntent(key: Key): Intent | undefined {
  const isFar = key.ctrl || key.meta
  const edits: readonly (readonly [pressed: boolean, edit: Edit])[] = [
    [key.leftArrow, isFar ? 'word-left' : 'left'],
    [key.rightArrow, isFar ? 'word-right' : 'right'],
    [key.upArrow, 'up'],
    [key.downArrow, 'down'],
    [key.home, 'line-start'],
    [key.end, 'line-end'],
    [key.backspace, isFar ? 'delete-word' : 'backspace'],
    [key.delete, 'delete'],
  ]
  const found = edits.find(([pressed]) => pressed)
  return found && { kind: 'edit', edit: found[1] }
}
