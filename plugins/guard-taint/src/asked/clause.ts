import { isVerb } from './verbs.ts'
import { isSameWord, tokensOf, type Token } from './word.ts'

/** Before a verb that asks for something; a text and a sentence begin so, too. */
const BEFORE: ReadonlySet<string> = new Set(
  `and then also or please to you we i must should shall will can could would just now so but finally afterwards first next second third last immediately kindly
  lets let's go ahead that it me us him her them if yes ok okay not und dann bitte auch et puis y luego por favor sure is it's both either instead again too after before once
  , : ; . ! ? - – — ( ) " ' * • … > \n`
    .split(/\s+/)
    .filter((one) => one !== ''),
)
/** After these a word is a thing, and nothing that is asked for. */
const THINGS: ReadonlySet<string> = new Set(
  'the a an my our your his their its this these those last latest recent new old any each every no some of for from with in on at by der die das den dem ein eine mein unser le la les un une el los las'.split(
    ' ',
  ),
)
const NOT: ReadonlySet<string> = new Set(
  "not don't dont never without no nicht kein keine nie ohne pas jamais nunca sin cannot can't won't doesn't shouldn't avoid".split(
    ' ',
  ),
)
/** Asks what would be, not that it be. */
const ASKING: readonly (readonly string[])[] = [
  'how to',
  'how do',
  'how can',
  'how would',
  'what happens',
  'what if',
  'why',
  'when did',
  'who',
  'should i',
  'should we',
  'is it possible',
  'wie man',
  'wie kann',
].map((text) => text.split(' '))
const SENTENCE_END: ReadonlySet<string> = new Set(['.', '!', '?', ';'])
/** Stand for what was said before. */
const PRONOUNS: ReadonlySet<string> = new Set(
  'it them this that these those him her there same one ones both all everything es sie ihn ihm ihr das le la les lo los'.split(
    ' ',
  ),
)
/** Words between a verb and one that belongs to it: create and send. */
const JOINED = 2
/** Whoever they are, what they did is told and not asked for. */
const TELLING: ReadonlySet<string> = new Set(
  'i we he she they who has have had was were been'.split(' '),
)

/** Something that a person asks for: a verb, and the words around it that are about it. */
export interface Clause {
  readonly verb: string
  readonly words: readonly string[]
  readonly text: string
  readonly hasPronoun: boolean
}

/** What a person says, taken apart. */
export interface Said {
  readonly tokens: readonly Token[]
  readonly clauses: readonly Clause[]
}

/** Finds what a text asks for. A verb that is negated, or asked about, asks for nothing. */
export function saidIn(text: string): Said {
  const tokens = tokensOf(text)
  const sentences = sentencesOf(tokens)
  return { tokens, clauses: sentences.flatMap(clausesOf) }
}

function sentencesOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const sentences: Token[][] = [[]]
  for (const token of tokens) {
    sentences.at(-1)?.push(token)
    if (SENTENCE_END.has(token.text) || /\n\s*\n/.test(token.text)) sentences.push([])
  }
  return sentences.filter((sentence) => sentence.length > 0)
}

function clausesOf(sentence: readonly Token[]): readonly Clause[] {
  if (asksOnly(sentence)) return []
  const asked = sentence.flatMap((token, at) => (token.isWord && isAsked(sentence, at) ? [at] : []))
  const verbs = asked.filter((at) => isVerb(sentence[at]?.text ?? ''))
  return asked.map((at) => {
    const around = sentence.slice(startOf(verbs, at), endOf(verbs, at, sentence.length))
    return {
      verb: sentence[at]?.text ?? '',
      words: around.flatMap(({ text, isWord }) => (isWord ? wordsOf(text) : [])),
      text: around.map(({ text }) => text).join(' '),
      hasPronoun: around.some(({ text }) => PRONOUNS.has(text)),
    }
  })
}

/**
 * Verbs that stand side by side share what is about them; what stands before the first one belongs
 * to it, too.
 */
function startOf(verbs: readonly number[], at: number): number {
  let start = at
  for (const verb of verbs.toReversed()) {
    if (verb >= start) continue
    if (start - verb > JOINED) return start
    start = verb
  }
  return 0
}

function endOf(verbs: readonly number[], at: number, end: number): number {
  let last = at
  for (const verb of verbs) {
    if (verb <= last) continue
    if (verb - last > JOINED) return verb
    last = verb
  }
  return end
}

const wordsOf = (text: string): readonly string[] => [
  text,
  ...text.split(/[.'’:/@#+_-]+/).filter((part) => part !== '' && part !== text),
]

/** Where a word stands as something that is asked for. */
function isAsked(sentence: readonly Token[], at: number): boolean {
  const word = sentence[at]?.text ?? ''
  const before = sentence[at - 1]?.text
  if (before !== undefined && (THINGS.has(before) || (TELLING.has(before) && /ed$/.test(word))))
    return false
  if (sentence.slice(Math.max(0, at - 4), at).some(({ text }) => NOT.has(text))) return false
  const begins =
    before === undefined || BEFORE.has(before) || /^\d+$/.test(before) || /ly$/.test(before)
  return isVerb(word) ? begins || isForeign(word) : begins && isPlainWord(word)
}

/** Verbs of other languages stand in other places. */
const isForeign = (word: string): boolean =>
  /[äöüßéèêñí]/.test(word) || /(?:iere|ieren)$/.test(word)
const isPlainWord = (word: string): boolean => /^\p{L}{3,}$/u.test(word) && !BEFORE.has(word)

function asksOnly(sentence: readonly Token[]): boolean {
  const words = sentence.filter(({ isWord }) => isWord).map(({ text }) => text)
  return ASKING.some((asking) =>
    words.some((_word, at) => at < 3 && asking.every((one, index) => words[at + index] === one)),
  )
}

/** Whether a word, in any of its forms, is among others. */
export const hasWord = (words: readonly string[], wanted: string): boolean =>
  words.some((word) => isSameWord(word, wanted))
