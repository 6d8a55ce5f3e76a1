/** Introducers of strings that a terminal reads up to a terminator: DCS, SOS, OSC, PM and APC. */
const STRING = String.raw`(?:\x1b[P\]X^_]|[\x90\x98\x9d-\x9f])`
/** Sequences that a terminal acts on: strings, CSI, and the others that begin with ESC. */
const SEQUENCES = new RegExp(
  [
    String.raw`${STRING}[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)`,
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`\x1b[ -/]*[0-~]`,
  ].join('|'),
  'g',
)
/** What is controlled by a single character, and characters that reorder text (Bidi_Control). */
const CONTROLS = /[[\p{Cc}--[\n\t]]\p{Bidi_Control}]/gv

/**
 * The text without what a terminal acts on: escape sequences (CSI, OSC and their like), control
 * characters other than line feed and tab, and characters that reorder it. Every line end becomes a
 * line feed.
 *
 * @param text of a model, a tool or a server
 * @example
 * withoutControls('\u001b[31mred\u001b[0m\r\n') // 'red\n'
 */
export const withoutControls = (text: string): string =>
  text.replace(SEQUENCES, '').replace(/\r\n?/g, '\n').replace(CONTROLS, '')

const LAST_INTRODUCER = /[\x1b\x90\x98\x9b\x9d-\x9f][^\x1b\x90\x98\x9b\x9d-\x9f]*$/
const UNTERMINATED = new RegExp(
  String.raw`^(?:${STRING}[^\x07\x9c]*|(?:\x1b\[|\x9b)[0-?]*[ -/]*|\x1b[ -/]*)$`,
)

/**
 * The same for a text that still grows: an escape sequence that is not complete yet is withheld, so
 * that the result only gets longer as the text does.
 *
 * @param text as far as it is known
 */
export function growingWithoutControls(text: string): string {
  const last = LAST_INTRODUCER.exec(text)
  return withoutControls(last && UNTERMINATED.test(last[0]) ? text.slice(0, last.index) : text)
}
