import { normal } from '../normal.ts'
import type { Known } from '../taint.ts'
import { isMeantBy } from './senses.ts'
import { isSameNoun } from './verbs.ts'

/** What anybody writes to anybody, and small words. */
export const COURTESY: ReadonlySet<string> = new Set(
  `contacting patience writing getting get back touch reach know look forward hearing soon possible let need further questions feel free hi hello hey dear good morning afternoon evening thanks thank you your yours we our us regards best kind kindly sincerely cheers please sorry welcome yours team soon hope well
   the and for with that this they them are was were will have has had not but about from all its his her she him who what when where which there then than into out can could would should may been being also just now very here
   hallo guten tag liebe lieber sehr geehrte geehrter herr frau mit freundlichen grüßen viele grüße beste danke vielen dank bitte der die das und für von dass ist sind des ein eine wir ihr ihre sie uns
   bonjour madame monsieur cordialement merci bien vous votre vos nous notre est sont les des une que pour avec dans
   hola buenos días estimado estimada saludos gracias un una los las que para con nosotros usted buongiorno salve gentile cordiali saluti grazie che per con una del della
   olá prezado prezada obrigado obrigada atenciosamente cumprimentos você para com uma dag beste groet groeten met vriendelijke dank een het van voor dzień dobry szanowny pozdrawiam dziękuję proszę klient customer client`.split(
    /\s+/,
  ),
)
const LEAST = 0.4

const wordsOf = (text: string): readonly string[] => [
  ...new Set(
    (normal(text).match(/[\p{L}\p{N}]+/gu) ?? []).filter(
      (word) => (word.length > 2 || /\d/.test(word)) && !COURTESY.has(word),
    ),
  ),
]

/**
 * Whether a text is made of what a person said: enough of its words, each of its numbers, and less
 * of what came from outside than of theirs.
 *
 * @param said words of the request
 */
export function isMadeOf(
  text: string,
  said: readonly string[],
  { session: { outside } }: Known,
): boolean {
  const given = wordsOf(text)
  if (given.length === 0) return false
  const own = given.filter((word) => said.some((one) => isSameNoun(one, word) || one === word))
  const other = given.filter((word) => !own.includes(word))
  if (other.some((word) => /\d/.test(word))) return false
  const strange = other.filter((word) => outside.find(word) !== undefined)
  if (strange.length >= own.length && strange.length > 0) return false
  if (given.length <= 2)
    return other.every((word) => isMeantBy(word, '', said.join(' '))) && strange.length === 0
  return own.length >= 2 && own.length >= given.length * LEAST
}
