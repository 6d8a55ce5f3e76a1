import { isReading } from './verbs.ts'
import type { Token } from './word.ts'

/** Whether a sentence asks for something to be done, tells how things are, or wants to know. */
export type Mood = 'asks' | 'states' | 'reads'

/** Whoever begins so wants it done, though it is a question. */
const POLITE =
  /^(?:¿ )?(?:(?:hi|hey|hello|ok|okay|so|and|also|oh|please|pls|hallo|bonjour|hola|ciao|olá|sorry|me|nos|mi|ci) ?,? )*(?:(?:can|could|would|will|may|cna|cn) (?:you|u|we|i|she|he|they|someone|somebody|the|\p{L}+ (?:get|have|be))|mind|any chance|is there any chance|do you mind|kannst|könnt|könntest|könntet|könnten|können|würdest|würdet|würden|magst|darf ich|pouvez|peux|pourriez|pourrais|tu peux|vous pouvez|on peut|puoi|può|potresti|potrebbe|puedes|puede|podrías|podrías|podéis|te importa|podría|podemos|pode|poderia|podes|você pode|kun|kunt|kunnen|kan|kann|zou|zouden|możesz|możecie|czy możesz|czy mógłbyś|czy mogłabyś|mógłbyś|proszę)(?:[ -]|$)/u
const WANTS_TO_KNOW =
  /^(?:¿ )?(?:(?:and|so|ok|okay|but|also|und|hi|hey) ?,? )*(?:what|whats|what's|which|who|whose|whom|where|when|why|how|is|are|was|were|does|do|did|has|have|had|está|están|es|son|è|é|foi|czy to|wer|was|welche\p{L}*|wo|wann|warum|wie|ist|sind|hat|quel\p{L}*|qui|où|quand|pourquoi|comment (?:est|puis|ça|faire|se|je|tu|il|elle|vous|va)|est-ce|qué|quién|cuál|cuándo|dónde|cómo|che|chi|quale|quando|dove|qual|quem|onde|como|wat|wie|welke|waar|wanneer|hoe|heeft|kto|który|gdzie|kiedy|jak)(?: |$)/u
const KNOWING =
  /\b(?:tell|show|let) (?:me|us)\b(?! know (?:when|once))|\b(?:sag|zeig|erzähl)\p{L}* (?:mir|uns)\b|\bdis-moi\b|\bdime\b|\bdimmi\b/u

/**
 * @param asked places of words that may ask for something
 * @param isVerb whether the word at a place is known to be a verb
 */
export function moodOf(
  sentence: readonly Token[],
  asked: readonly number[],
  isVerb: (at: number) => boolean,
): Mood {
  const textAt = (at: number): string => sentence[at]?.text ?? ''
  const text = sentence.map((token) => token.text).join(' ')
  const doing = asked.filter(isVerb)
  const isKnowing = KNOWING.test(text)
  if (WANTS_TO_KNOW.test(text) || isKnowing) {
    const others = doing.filter(
      (at) => at > 2 && ADDED.has(textAt(at - 1)) && !/(?:ed|t)$/.test(textAt(at)),
    )
    return others.length > 0 ? 'asks' : 'reads'
  }
  const isQuestion =
    (textAt(sentence.length - 1) === '?' ||
      /(?:です|ます|した)か[?。]?$/.test(text.replace(/ /g, ''))) &&
    !text.split(/ [,:–—-] /).some((part) => POLITE.test(part)) &&
    !/くれ|もらえ|いただけ/.test(text.replace(/ /g, ''))
  if (isQuestion) return 'reads'
  if (doing.length > 0) return 'asks'
  return asked.some((at) => isReading(textAt(at))) ? 'reads' : 'states'
}

/** Before something that is asked for besides. */
const ADDED: ReadonlySet<string> = new Set(
  'and then please also , & und dann bitte et puis y luego e poi en dan i'.split(' '),
)
