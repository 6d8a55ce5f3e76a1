/** The purpose of a field by its name: `chooses` a target, `says` a text, or `open`: unknown. */
export type Purpose = 'chooses' | 'says' | 'open'

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/** Whom, where, what, how much, and what is run. */
const CHOOSES = words(`
  to cc bcc from recipient receiver addressee attendee invitee participant guest member email mail phone tel telephone mobile msisdn fax sms whatsapp handle contact person who
  channel room account acct iban bic swift routing sort card wallet beneficiary payee payer creditor debtor vendor customer client supplier merchant
  user username login owner assignee reviewer approver admin role permission scope access grant group team org organization tenant workspace
  project repo repository branch ref commit sha env environment cluster namespace region host hostname server domain ip port
  url uri href link webhook callback redirect endpoint path file filename filepath dir directory folder destination dest target bucket table database queue
  id uid uuid guid key code command cmd script sql query expression eval exec shell program argv arg action operation op method
  amount price total sum fee cost balance quantity qty
`)

const CODE = words('code command cmd script sql query expression eval exec shell program argv arg')

/** What people read. */
const SAYS = words(`
  body text message content contents summary description desc comment note title subject headline caption label reason detail explanation
  html markdown md memo remark feedback question answer abstract bio about paragraph reply snippet agenda keyword tag quote
`)

/**
 * Names, made of these alone, of numbers that choose how much is shown, where, and how long is
 * waited.
 */
const COUNTS = words(`
  page limit offset size per count max min top skip first last number result row item width height timeout second minute retry version indent index position order rank priority
  lat lng lon latitude longitude zoom
`)

/** `recipientEmails` → `recipient`, `email`. */
export function partsOf(name: string): readonly string[] {
  const parts = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
  return parts.map((part) =>
    part.length > 3 && part.endsWith('s') && !part.endsWith('ss') && part !== 'address'
      ? part.slice(0, -1)
      : part,
  )
}

const isIn = (list: ReadonlySet<string>, part: string): boolean =>
  list.has(part) || list.has(`${part}s`)

/** The last part of a name says most: `email_subject` is a subject, `message_id` an id. */
export function purposeOf(name: string): Purpose {
  const parts = partsOf(name)
  for (const part of [parts.at(-1) ?? '', ...parts]) {
    if (isIn(CHOOSES, part)) return 'chooses'
    if (isIn(SAYS, part)) return 'says'
  }
  return 'open'
}

export const isCount = (name: string): boolean => partsOf(name).every((part) => isIn(COUNTS, part))
/** What is run: a part of it in the right place makes nothing of it right. */
export const isCode = (name: string): boolean => partsOf(name).some((part) => CODE.has(part))
