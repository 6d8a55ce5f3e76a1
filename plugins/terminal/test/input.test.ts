import type { Key } from 'ink'
import { describe, expect, test } from 'vitest'
import { commandIn, commandsLike } from '../src/input/commands.ts'
import { draftView, edited, insert, type Draft, type Edit } from '../src/input/draft.ts'
import { History } from '../src/input/history.ts'
import { intentsOf } from '../src/input/keys.ts'

/** A draft whose cursor is where the bar stands. */
const at = (text: string): Draft => ({ text: text.replace('|', ''), cursor: text.indexOf('|') })
const shown = ({ text, cursor }: Draft): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`

describe('a draft', () => {
  test.each<[string, Edit, string]>([
    ['ab|c', 'backspace', 'a|c'],
    ['a👩‍👩‍👧|', 'backspace', 'a|'],
    ['|abc', 'backspace', '|abc'],
    ['a|bc', 'delete', 'a|c'],
    ['one two |', 'delete-word', 'one |'],
    ['one\ntw|o', 'delete-to-start', 'one\n|o'],
    ['on|e\ntwo', 'delete-to-end', 'on|\ntwo'],
    ['é|x', 'left', '|éx'],
    ['|éx', 'right', 'é|x'],
    ['one two|', 'word-left', 'one |two'],
    ['|one two', 'word-right', 'one| two'],
    ['one\ntwo|', 'line-start', 'one\n|two'],
    ['o|ne\ntwo', 'line-end', 'one|\ntwo'],
    ['long\nab|', 'up', 'lo|ng\nab'],
    ['long|\nab', 'down', 'long\nab|'],
    ['one|', 'up', 'one|'],
    ['one|', 'down', 'one|'],
  ])('%j, %s: %j', (before, edit, after) => {
    expect(shown(edited(at(before), edit))).toBe(after)
  })

  test('takes text at the cursor', () => {
    expect(shown(insert(at('a|c'), 'b\n'))).toBe('ab\n|c')
  })

  test('is shown around its cursor', () => {
    expect(draftView(at('abcdef|'), 4, 3)).toEqual({ rows: ['abc', 'def'], y: 1, x: 3 })
    expect(draftView(at('1\n2\n3\n4|'), 10, 2)).toEqual({ rows: ['3', '4'], y: 1, x: 1 })
    expect(draftView(at('1\n|2\n3\n4'), 10, 2)).toEqual({ rows: ['1', '2'], y: 1, x: 0 })
    expect(draftView(at('漢字|'), 4, 2)).toEqual({ rows: ['漢', '字'], y: 1, x: 2 })
  })
})

test('messages of before come back, and then the draft', () => {
  const history = new History()
  history.add('one')
  history.add('two')
  expect([history.earlier('draft'), history.earlier('two'), history.earlier('one')]).toEqual([
    'two',
    'one',
    undefined,
  ])
  expect([history.later(), history.later(), history.later()]).toEqual(['two', 'draft', undefined])
})

const key = (pressed: Partial<Key> = {}): Key => ({
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
  ...pressed,
})

test('keys are what a person wants by them', () => {
  expect(intentsOf('', key({ return: true }))).toEqual([{ kind: 'enter' }])
  expect(intentsOf('', key({ return: true, meta: true }))).toEqual([{ kind: 'newline' }])
  expect(intentsOf('\n', key())).toEqual([{ kind: 'newline' }])
  expect(intentsOf('hi\r', key())).toEqual([{ kind: 'type', text: 'hi' }, { kind: 'enter' }])
  expect(intentsOf('a\u0015\u0004', key())).toEqual([
    { kind: 'type', text: 'a' },
    { kind: 'edit', edit: 'delete-to-start' },
    { kind: 'end-of-input' },
  ])
  expect(intentsOf('c', key({ ctrl: true }))).toEqual([{ kind: 'interrupt' }])
  expect(intentsOf('', key({ leftArrow: true, ctrl: true }))).toEqual([
    { kind: 'edit', edit: 'word-left' },
  ])
  expect(intentsOf('q', key({ ctrl: true }))).toEqual([])
})

test('commands are words with a slash, and everything else is a message', () => {
  expect(commandIn('/resume 3')).toEqual({ name: '/resume', words: ['3'] })
  expect(commandIn('/quit')).toEqual({ name: '/exit', words: [] })
  expect(commandIn('/etc/passwd is a file')).toBeUndefined()
  expect(commandsLike('/se')).toEqual(['/sessions', '/session', '/settle'])
  expect(commandsLike('/se x')).toEqual([])
})
