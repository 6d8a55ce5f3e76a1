import { expect, test } from 'vitest'
import { parseDotEnv } from '../src/dotenv.ts'

const read = (text: string): Record<string, string> =>
  Object.fromEntries(parseDotEnv(text).variables)

test.each<[what: string, text: string, variables: Record<string, string>]>([
  ['plain values, trimmed', 'A=1\n B = two words  \nC=\n', { A: '1', B: 'two words', C: '' }],
  [
    'export, comments and empty lines',
    '# all of it\n\nexport A=1 # one\n  # more\nB=a#b\nC= # nothing',
    { A: '1', B: 'a#b', C: '' },
  ],
  ['single quotes, as they are', 'A=\'a "b" $C \\n #\'', { A: 'a "b" $C \\n #' }],
  [
    'double quotes, with escapes',
    'A="a\\nb\\t\\"c\\" \\\\ \\x # $B" # mine',
    { A: 'a\nb\t"c" \\ \\x # $B' },
  ],
  [
    'values over several lines',
    'KEY="-----BEGIN-----\nabc\n-----END-----"\nB=\'1\n2\'\nC=3',
    { KEY: '-----BEGIN-----\nabc\n-----END-----', B: '1\n2', C: '3' },
  ],
  [
    'Windows line endings and a byte order mark',
    '\uFEFFA=1\r\nB="x\r\ny"\r\n',
    { A: '1', B: 'x\ny' },
  ],
  ['nothing expanded', 'A=$HOME/${B}\nB=$(ls)', { A: '$HOME/${B}', B: '$(ls)' }],
  ['the last of two', 'A=1\nA=2', { A: '2' }],
  [
    'an equals sign in the value',
    'URL=postgres://u:p@h/d?x=1&y=2',
    { URL: 'postgres://u:p@h/d?x=1&y=2' },
  ],
])('reads %s', (_, text, variables) => {
  expect(parseDotEnv(text)).toMatchObject({ problems: [] })
  expect(read(text)).toEqual(variables)
})

test('names lines that are no assignment, and reads the others', () => {
  const { variables, problems } = parseDotEnv(
    "A=1\nwhat is this\n1B=2\nC=\"never closed\nD=4\nE='x' y\nF=6",
  )
  expect(Object.fromEntries(variables)).toEqual({ A: '1', D: '4', F: '6' })
  expect(problems.map(({ line }) => line)).toEqual([2, 3, 4, 6])
  expect(problems[2]?.message).toContain('the " of C is never closed')
})
