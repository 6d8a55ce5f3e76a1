import { contentOf } from './content.ts'
import { moodOf, type Mood } from './mood.ts'
import { idiomAt, isEnglishVerb, isForeignVerb, isKnownNoun, isVerb, mended } from './verbs.ts'
import { isSameWord, tokensOf, type Token } from './word.ts'

/** Before a verb that asks for something; a text and a sentence begin so, too. */
const BEFORE: ReadonlySet<string> = new Set(
  `and then also or please to you we i must should shall will can could would just now so but finally afterwards first next second third last immediately kindly
  lets let's go ahead that it me us him her them if yes ok okay not und dann bitte auch et puis y luego por favor sure is it's both either instead again too after before once pls plz could may might w/ hey hi ok kindly need wants proszę s'il vous plaît favore te obrigado graag alsjeblieft hmm
  , : ; . ! ? - – — ( ) " ' * • … > \n`
    .split(/\s+/)
    .filter((one) => one !== ''),
)
/** After these a word is a thing, and nothing that is asked for. */
const THINGS: ReadonlySet<string> = new Set(
  'the a an my our your his their its this these those last latest recent new old any each every no some of for from with in on at by der die das den dem ein eine mein unser le la les un une el los las o os um uma dos del della il gli het een'.split(
    ' ',
  ),
)
const NOT: ReadonlySet<string> = new Set(
  "not don't dont never without no nicht kein keine nie ohne pas jamais nunca sin cannot can't won't doesn't doesnt shouldn't shouldnt mustn't mustnt needn't needn couldn't wouldn't cant wont isn't isnt avoid non não niet geen nie nunca ne n".split(
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
  'it them this that these those him her she he they there same one ones both all everything es sie ihn ihm ihr das le la les lo los'.split(
    ' ',
  ),
)
/** Words between a verb and one that belongs to it: create and send. */
const JOINED = 2
/** Whoever they are, what they did is told and not asked for. */
const TELLING: ReadonlySet<string> = new Set(
  'i we he she they who has have had was were been'.split(' '),
)

/** Maintenance mode on for service 40, without a verb. */
const STATE = / (on|off)(?: (?:in|for|again|now|please|pls|everywhere)\b.*)?(?: [.!])?$/

const PLEASE =
  /(?:^| )(?:please|pls|plz|bitte|svp|s'il (?:te|vous) plaît|por favor|porfa|per favore|per piacere|graag|alsjeblieft|alstublieft|proszę)(?: |$)|お願い/u
const NEW =
  /^(?:(?:and|also|und|et|y|e|en|i|hi|hey|ok) ,? ?)*(?:new|neue?[rs]?|nouve(?:au|lle)|nuev[oa]|nuov[oa]|nov[oa]|nieuwe?|now[ya]|nowe) \p{L}+/u

/** What a sentence asks for that has no verb: card 44, limit 1200 please; new task for Ann. */
function wordlessIn(line: string): string | undefined {
  if (NEW.test(line)) return 'create'
  return PLEASE.test(line) ? 'set' : undefined
}

/** Something that a person asks for: a verb, and the words around it that are about it. */
export interface Clause {
  readonly verb: string
  readonly words: readonly string[]
  readonly text: string
  readonly hasPronoun: boolean
  /** All of the sentence that it stands in. */
  readonly sentence: string
}

/** A sentence of a person's. */
export interface Sentence {
  readonly mood: Mood
  /** What it asks to be done. */
  readonly verbs: readonly string[]
  /** Its words, without what somebody else is to be told. */
  readonly own: readonly string[]
  readonly ownTokens: readonly Token[]
  readonly words: readonly string[]
  readonly text: string
  readonly tokens: readonly Token[]
}

/** What a person says, taken apart. */
export interface ParsedMessage {
  readonly tokens: readonly Token[]
  readonly clauses: readonly Clause[]
  readonly sentences: readonly Sentence[]
}

/** Finds what a text asks for. A verb that is negated, or asked about, asks for nothing. */
export function parseMessage(text: string): ParsedMessage {
  const tokens = tokensOf(text)
  const sentences = sentencesOf(tokens).map(readSentence)
  return {
    tokens,
    clauses: sentences.flatMap(({ clauses }) => clauses),
    sentences: sentences.map(({ sentence }) => sentence),
  }
}

interface Read {
  readonly sentence: Sentence
  readonly clauses: readonly Clause[]
}

/** The verb that a sentence without one stands for, by the state that it asks for. */
function verbOfState(line: string): string | undefined {
  const state = STATE.exec(line)?.[1]
  if (state === 'off') return 'disable'
  return state === 'on' ? 'enable' : wordlessIn(line)
}

function readSentence(tokens: readonly Token[]): Read {
  const asked = tokens.flatMap((token, at) => (token.isWord && isAsked(tokens, at) ? [at] : []))
  const verbs = asked.filter((at) => isVerbAt(tokens, at))
  const reported = contentOf(tokens, verbs)
  const isReported = (at: number): boolean => reported.some(({ from, to }) => at > from && at < to)
  const free = asked.filter((at) => !isReported(at))
  const plain = (at: number): readonly string[] =>
    tokens[at]?.isWord === true ? wordsOf(tokens[at].text) : []
  const line = tokens.map(({ text }) => text).join(' ')
  const seen = moodOf(tokens, free, (at) => isVerbAt(tokens, at))
  const isNew = seen === 'reads' && NEW.test(line) && !line.endsWith('?')
  const onlyReads =
    !isNew &&
    (asksOnly(tokens) ||
      isSupposed(line) ||
      isNotYet(line) ||
      isOthersWish(line) ||
      /(?:^| )at all \?$/.test(line) ||
      (seen === 'states' && isDoneAlready(line)))
  const requested = onlyReads ? 'reads' : seen
  const mood = isNew ? 'states' : requested
  const meant = mood === 'states' ? verbOfState(line) : undefined
  const stated =
    meant === undefined ? [] : clausesOf(tokens, [0]).map((clause) => ({ ...clause, verb: meant }))
  return {
    sentence: {
      mood,
      own: tokens.flatMap((_token, at) => (isReported(at) ? [] : plain(at))),
      ownTokens: tokens.filter((_token, at) => !isReported(at)),
      words: tokens.flatMap((_token, at) => plain(at)),
      verbs: free.filter((at) => isVerbAt(tokens, at)).map((at) => meantAt(tokens, at)),
      text: line,
      tokens,
    },
    clauses: mood === 'reads' ? [] : [...clausesOf(tokens, free), ...stated],
  }
}

function sentencesOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const sentences: Token[][] = [[]]
  for (const token of tokens) {
    sentences.at(-1)?.push(token)
    if (SENTENCE_END.has(token.text) || /\n\s*\n/.test(token.text)) sentences.push([])
  }
  return sentences.filter((sentence) => sentence.length > 0)
}

function clausesOf(sentence: readonly Token[], asked: readonly number[]): readonly Clause[] {
  const verbs = asked.filter((at) => isVerbAt(sentence, at) && !isPurpose(sentence, at))
  const whole = sentence.map(({ text }) => text).join(' ')
  return asked.flatMap((at) => {
    const around = sentence.slice(startOf(verbs, at), endOf(verbs, at, sentence.length))
    const clause = {
      words: around.flatMap(({ text, isWord }) => (isWord ? wordsOf(text) : [])),
      text: around.map(({ text }) => text).join(' '),
      hasPronoun: around.some(({ text }) => PRONOUNS.has(text)) || isAlone(around),
      sentence: whole,
    }
    const idiom = idiomAt(sentence, at)
    const word = wordAt(sentence, at)
    const meant = idiom ? [idiom.meant, ...(idiom.isVerbToo ? [word] : [])] : [word]
    return meant.map((verb) => ({ verb, ...clause }))
  })
}

/** Give her access to edit: what for belongs to what is asked for. */
const isPurpose = (sentence: readonly Token[], at: number): boolean =>
  sentence[at - 1]?.text === 'to' &&
  /^(?:access|him|her|them|\)|.*@.*|rights?|permissions?)$/.test(sentence[at - 2]?.text ?? '')

/** Unfreeze again, please: a verb without a thing is about the last one. */
const isAlone = (around: readonly Token[]): boolean =>
  around.filter(
    ({ text, isWord }) => isWord && !BEFORE.has(text) && !/^(?:back|asap|right|away)$/.test(text),
  ).length === 1

const meantAt = (sentence: readonly Token[], at: number): string =>
  idiomAt(sentence, at)?.meant ?? wordAt(sentence, at)

function wordAt(sentence: readonly Token[], at: number): string {
  if (isToBe(sentence, at)) return 'set'
  return isNeeded(sentence, at) ? 'create' : mended(sentence[at]?.text ?? '')
}

const isVerbAt = (sentence: readonly Token[], at: number): boolean =>
  !isNounAt(sentence, at) &&
  (isVerb(sentence[at]?.text ?? '') ||
    idiomAt(sentence, at) !== undefined ||
    isToBe(sentence, at) ||
    isNeeded(sentence, at))

/** Somebody needs access to it. */
const isAccess = (sentence: readonly Token[], at: number): boolean =>
  /^(?:needs?|wants?)$/.test(sentence[at]?.text ?? '') && sentence[at + 1]?.text === 'access'

/** We need a ticket for the tap. */
const isNeeded = (sentence: readonly Token[], at: number): boolean =>
  /^(?:need|want|like|brauche|brauchen|möchte)$/.test(sentence[at]?.text ?? '') &&
  /^(?:we|i|d|would|i'd|we'd|ich|wir)$/.test(sentence[at - 1]?.text ?? '') &&
  /^(?:an?|another|some|ein|eine|einen)$/.test(sentence[at + 1]?.text ?? '')

/** It has to be 1,975, it should be low: what it is set to. */
const isToBe = (sentence: readonly Token[], at: number): boolean =>
  (at > 0 && MUST_BE.test(sentence[at]?.text ?? '')) ||
  (sentence[at]?.text === 'go' &&
    /^(?:should|must|shall|can)$/.test(sentence[at - 1]?.text ?? '')) ||
  (sentence[at]?.text === 'goes' && /^#?\d+$/.test(sentence[at - 1]?.text ?? '')) ||
  (sentence[at]?.text === 'be' &&
    (/^(?:should|must|shall)$/.test(sentence[at - 1]?.text ?? '') ||
      (sentence[at - 1]?.text === 'to' &&
        (/^(?:has|have|needs?|ought)$/.test(sentence[at - 2]?.text ?? '') ||
          isWished(sentence, at)))))
/** I need her to be an editor. */
const isWished = (sentence: readonly Token[], at: number): boolean =>
  sentence
    .slice(Math.max(0, at - BEFORE_BE), at)
    .some(
      ({ text }, index, near) =>
        /^(?:need|want|like)$/.test(text) &&
        /^(?:i|we|i'd|we'd|would|d)$/.test(near[index - 1]?.text ?? ''),
    )
const BEFORE_BE = 8

/** The same where the verb stands elsewhere. */
const MUST_BE =
  /^(?:soll|sollen|sollte|muss|doit|doivent|debe|deben|deve|devono|devem|moet|moeten|powinien|powinna|powinno)$/

/** Verbs that are nouns before an id: order 5512 went out. Order 3 boxes is a verb. */
const NOUN_TOO =
  /^(?:order|note|message|mail|email|comment|file|record|flag|release|book|transfer|schedule|post)$/
function isNounAt(sentence: readonly Token[], at: number): boolean {
  const word = sentence[at]?.text ?? ''
  const isForeign = isKnownNoun(word) && !isEnglishVerb(word)
  if (!isForeign && !NOUN_TOO.test(word)) return false
  if (!/^#?\d+$/.test(sentence[at + 1]?.text ?? '')) return false
  const behind = sentence[at + 2]?.text ?? ''
  return (
    behind !== 'as' &&
    (!/^\p{L}{3,}$/u.test(behind) ||
      /^(?:was|were|has|had|went|can|for|that|goes|got|needs?|should|must|and|came|from|with|into)$/.test(
        behind,
      ))
  )
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
  if (before !== undefined && THINGS.has(before)) return false
  if (isNeeded(sentence, at)) return true
  const isPast =
    /ed$/.test(word) &&
    sentence.slice(Math.max(0, at - 2), at).some(({ text }) => TELLING.has(text))
  if (isPast) return false
  if (isDenied(sentence, at)) return false
  if (isReported(sentence, at) || isSubordinate(sentence, at)) return false
  const begins =
    before === undefined || BEFORE.has(before) || /^\d+$/.test(before) || /ly$/.test(before)
  if (isForeignVerb(word)) return !isToldOf(sentence, at) && !isDeniedBehind(sentence, at)
  if (
    before !== undefined &&
    PASSIVE.has(before) &&
    (sentence.slice(0, at).some(({ text }) => WISH.has(text)) ||
      /^(?:can|may)$/.test(sentence[at - 2]?.text ?? ''))
  )
    return isVerbAt(sentence, at)
  if (isToBe(sentence, at) || isAccess(sentence, at)) return true
  return isVerbAt(sentence, at)
    ? begins || mended(word) !== word || isAllowed(sentence, at)
    : begins && isPlainWord(word)
}

/** Whether a word stands behind a not; not to forget something is to do it. */
const isDenied = (sentence: readonly Token[], at: number): boolean =>
  sentence
    .slice(Math.max(0, at - NEAR), at)
    .some(({ text }, index, near) => NOT.has(text) && near[index + 1]?.text !== 'forget')
/** Words behind a not that belong to it. */
const NEAR = 4

/** Before what somebody did not do, or only wanted from others. */
const REPORTED: ReadonlySet<string> = new Set(
  'was were tried planned plan plans wanted promised refused forgot decided used supposed meant failed about attempted threatened offered hoped'.split(
    ' ',
  ),
)
const OTHERS: ReadonlySet<string> = new Set('us me him her them you'.split(' '))

/** The plan was to delete it, somebody asked us to. */
function isReported(sentence: readonly Token[], at: number): boolean {
  if (sentence[at - 1]?.text !== 'to') return false
  const head = sentence[at - 2]?.text ?? ''
  return (
    REPORTED.has(head) ||
    (OTHERS.has(head) && /^(?:asked|told|wanted|begged|urged)$/.test(sentence[at - 3]?.text ?? ''))
  )
}

/** Begin what is a condition of something else. */
const WHEN: ReadonlySet<string> = new Set(
  'before unless until if when while whenever bevor wenn falls ehe avant si antes prima quando als voordat zanim jeśli'.split(
    ' ',
  ),
)
const WHO: ReadonlySet<string> = new Set('you we i they he she to de di que'.split(' '))

/** Before you delete it, ask me. If you could delete it, is asked for politely. */
function isSubordinate(sentence: readonly Token[], at: number): boolean {
  let back = at - 1
  while (WHO.has(sentence[back]?.text ?? '') || MODAL.test(sentence[back]?.text ?? '')) back--
  const between = sentence.slice(back + 1, at).map(({ text }) => text)
  const isPolite = between.includes('you') && between.some((word) => MODAL.test(word))
  const head = sentence[back]?.text ?? ''
  return (
    between.length > 0 &&
    (/^(?:whether|ob|so)$/.test(head)
      ? !between.includes('you') || head !== 'so'
      : WHEN.has(head) && !isPolite)
  )
}
const MODAL = /^(?:should|can|could|must|may|might|would|ought)$/

/** If it were so, we could close it. */
function isSupposed(text: string): boolean {
  const [, then = ''] = /(?:^| )(?:if|wenn|si|se)( .*)$/u.exec(text) ?? []
  return WERE.test(then) && WOULD.test(text)
}
const WERE = /(?:^| )(?:were|had|wäre|hätte|était|fuera|fosse)(?: |$)/u
const WOULD =
  /(?:^| )(?:could|would|might|könnten?|würden?|pourr\p{L}+|podr\p{L}+|potr\p{L}+)(?: |$)/u
/** Once we have spoken we can publish it; unless she objects, he drives. */
const isNotYet = (text: string): boolean =>
  /(?:^| )(?:unless|once (?:i|we|they|he|she|i'\p{L}+|we'\p{L}+)|as soon as|sobald|es sei denn|dès que|à moins|en cuanto|a menos que|zodra|tenzij)(?: |$)/u.test(
    text,
  )
/** What others say that should be done, and apparently want. */
const isOthersWish = (text: string): boolean =>
  /(?:^| )(?:apparently|supposedly|angeblich|anscheinend|apparemment|al parecer)(?: |$)/u.test(
    text,
  ) ||
  /(?:^| )(?:wrote|writes|said|says|thinks|dit|écrit|sagt|schreibt|meint|dice|escribe|zegt|schrijft) (?:.*(?: |'))?(?:should|must|devrait|doit|sollte|soll|debería|debe|moet)(?: |$)/u.test(
    text,
  )
/** I have already done it. */
const isDoneAlready = (text: string): boolean =>
  /(?:^| )(?:i|we) did (?:that|this|it)(?: |$)/u.test(text) ||
  (/(?:^| )(?:already|bereits|schon|déjà|già|już)(?: |$)/u.test(text) &&
    /(?:^| )(?:i|we|you|somebody|someone|ich|wir|je|on|nous|ho|abbiamo)(?: |$|['’])/u.test(text))

/** What is wished to be done, or to get done. */
const PASSIVE: ReadonlySet<string> = new Set(['be', 'get', 'gets', 'getting'])
const WISH: ReadonlySet<string> = new Set(
  'should must need needs want wants like please pls ought see has have'.split(' '),
)

/** Can she get an account: asks for one. */
const isAllowed = (sentence: readonly Token[], at: number): boolean =>
  /^(?:can|could|may|should|needs?)$/.test(sentence[at - 2]?.text ?? '') &&
  /^\p{L}+$/u.test(sentence[at - 1]?.text ?? '')

/** Before what somebody has done, in languages where a verb is not told by its place. */
const DONE: ReadonlySet<string> = new Set(
  'hat habe haben hast wurde wurden worden a ont avons ai été ha han he ho hanno è stato stata fue ha sido foi tem heeft hebben werd został została wenn falls si als jeśli se'.split(
    ' ',
  ),
)
function isToldOf(sentence: readonly Token[], at: number): boolean {
  const since = sentence.slice(0, at).findLastIndex(({ text }) => text === ',' || text === ':')
  return (
    sentence.slice(since + 1, at).some(({ text }) => DONE.has(text)) ||
    /^(?:し)?(?:ない|ません|ました)/.test(sentence[at + 1]?.text ?? '')
  )
}

/** Lösche Kontakt 42 nicht. */
function isDeniedBehind(sentence: readonly Token[], at: number): boolean {
  for (let next = at + 1; next < sentence.length; next++) {
    const { text } = sentence[next] ?? { text: '' }
    if (/^[,;:.!?]$/.test(text)) return false
    if (/^(?:nicht|niet|pas|keinesfalls|jamais|nooit)$/.test(text))
      return !/^#?\d+$/.test(sentence[next + 1]?.text ?? '')
  }
  return false
}

const isPlainWord = (word: string): boolean =>
  /^\p{L}{3,}$/u.test(word) && !BEFORE.has(word) && !NOT.has(word)

function asksOnly(sentence: readonly Token[]): boolean {
  const words = sentence.filter(({ isWord }) => isWord).map(({ text }) => text)
  return ASKING.some((asking) =>
    words.some((_word, at) => at < 3 && asking.every((one, index) => words[at + index] === one)),
  )
}

/** Whether a word, in any of its forms, is among others. */
export const hasWord = (words: readonly string[], wanted: string): boolean =>
  words.some((word) => isSameWord(word, wanted))
