/** Words that say nothing of the subject. */
const EMPTY = new Set(
  (
    'a an the this that these those some any all each every other another it its they them their he she his her i me my mine we us our you your ' +
    'and or but if then than so as at by for from in into of off on onto out over to up with without within about is are was were be been being am ' +
    'do does did done have has had will would can could may might shall should must not no yes please there here what which who whom whose when where why how ' +
    'many much few more most less least only just also too very now currently right ok okay thanks thank hello hi hey s t d ll re ve let lets want need like know known'
  ).split(' '),
)

/** The words of a text, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** The words of an identifier: `dueDate`, `due_date` and `due-date` are the same two. */
export function identifierWords(name: string): readonly string[] {
  return wordsOf(name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2'))
}

/**
 * The part of a word that does not change with number and tense. Crude, but the same on both sides
 * of a comparison, which is all that counts here.
 */
export function stem(word: string): string {
  let root = word
  if (root.length > 4 && root.endsWith('ies')) root = `${root.slice(0, -3)}y`
  else if (root.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(root)) root = root.slice(0, -2)
  else if (root.length > 3 && /[^siu]s$/.test(root)) root = root.slice(0, -1)
  if (root.length > 7 && root.endsWith('ion')) root = root.slice(0, -3)
  const bare = root.replace(/(?:ing|ed)$/, '')
  if (bare.length > 2 && /[aeiouy]/.test(bare)) root = bare.replace(/([bdfglmnprt])\1$/, '$1')
  return root.length > 3 && root.endsWith('e') ? root.slice(0, -1) : root
}

export const stemsOf = (text: string): readonly string[] => wordsOf(text).map(stem)

/** Stems that carry meaning, each once, in order. */
export function subjectsOf(text: string): readonly string[] {
  return [
    ...new Set(
      wordsOf(text)
        .filter((word) => !EMPTY.has(word))
        .map(stem),
    ),
  ]
}

/**
 * Every stem that carries meaning, and each two neighbours as one, so that "on call" finds
 * `oncall`.
 */
export function mentionsOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text)
  const pairs = words.slice(1).map((word, at) => stem(`${words[at] ?? ''}${word}`))
  return new Set([...words.filter((word) => !EMPTY.has(word)).map(stem), ...pairs])
}

/** Whether all words of a name occur, as far as they carry meaning. */
export function mentions(known: ReadonlySet<string>, name: string): boolean {
  const words = identifierWords(name)
  const stems = words.filter((word) => !EMPTY.has(word)).map(stem)
  return (
    (stems.length > 0 && stems.every((one) => known.has(one))) ||
    (words.length > 0 && known.has(stem(words.join(''))))
  )
}
