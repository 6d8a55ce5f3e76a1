/** What a body of a media type is made of. */
export type Category = 'json' | 'form' | 'multipart' | 'text' | 'bytes'

const TEXT =
  /^(text|message)\/|[/+](xml|yaml|x-yaml|vnd\.yaml|csv|javascript|graphql|jwt|jose|sql|toml|ndjson|x-ndjson|jsonl|x-jsonlines|sparql-query|sparql-update|x-pem-file|n-triples|n-quads|trig)$/

/** @param type of a body, with or without parameters: `application/json; charset=utf-8` */
export function categoryOf(type: string): Category {
  const plain = essenceOf(type)
  if (plain === '*/*' || /[/+.-]json$/.test(plain)) return 'json'
  if (plain === 'application/x-www-form-urlencoded') return 'form'
  if (plain.startsWith('multipart/')) return 'multipart'
  return TEXT.test(plain) ? 'text' : 'bytes'
}

/** In small letters, without parameters. */
export const essenceOf = (type: string): string => type.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Whether `image/*` is meant by `image/png`. */
export function covers(range: string, type: string): boolean {
  const [all, one] = [essenceOf(range), essenceOf(type)]
  return all === one || all === '*/*' || (all.endsWith('/*') && one.startsWith(all.slice(0, -1)))
}
