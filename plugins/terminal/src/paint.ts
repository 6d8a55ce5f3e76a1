/** How a piece of text looks. */
export type Look =
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strike'
  | 'dim'
  | 'code'
  | 'accent'
  | 'good'
  | 'bad'
  | 'warning'
  | 'cursor'

/** Adds the looks to a text; returns it unchanged where nothing may be coloured. */
export type Paint = (text: string, ...looks: readonly Look[]) => string

/** SGR parameters that begin and end a look. */
const CODES: Readonly<Record<Look, readonly [begin: number, end: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  cursor: [7, 27],
  strike: [9, 29],
  bad: [31, 39],
  good: [32, 39],
  warning: [33, 39],
  accent: [34, 39],
  code: [36, 39],
}

/** Looks as escape sequences. */
export const coloured: Paint = (text, ...looks) =>
  text === ''
    ? ''
    : looks.reduce((inner, look) => {
        const [begin, end] = CODES[look]
        return `\u001b[${begin}m${inner}\u001b[${end}m`
      }, text)

/** No escape sequence at all. */
export const plain: Paint = (text) => text
