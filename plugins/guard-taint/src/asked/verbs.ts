import { isSameWord } from './word.ts'

const words = (list: string): readonly string[] => list.split(/\s+/).filter((word) => word !== '')

/** `heads`: words that calls are named with; `words`: words that ask for such a call. */
interface Group {
  readonly heads: readonly string[]
  readonly words: readonly string[]
}

const group = (heads: string, others = ''): Group => ({
  heads: words(heads),
  words: [...words(heads), ...words(others)],
})

const GROUPS: Readonly<Record<string, Group>> = {
  create: group(
    'create add insert post put make register',
    `open start begin schedule draft write compose enter log record raise file submit publish upload save plan arrange generate prepare issue place enroll attach note jot capture
    include set apply anlegen lege erstelle erstellen hinzufügen füge eintragen trage erzeuge schreibe notiere plane öffne crée créer ajoute ajouter crea crear añade añadir agrega`,
  ),
  send: group(
    'send mail email message notify dm sms',
    `write reply respond answer forward tell inform text ping share post remind announce broadcast deliver ask thank submit congratulate
    sende senden schicke schick schicken schreibe schreib antworte antworten informiere benachrichtige envoie envoyer réponds répondre écris envía enviar manda responde escribe`,
  ),
  reply: group('reply respond answer', 'write tell say antworte antworten réponds responde'),
  forward: group('forward relay', 'pass share send weiterleiten leite transfère reenvía'),
  change: group(
    'update change edit modify set put patch adjust',
    `correct fix rename move mark replace amend extend reschedule shift switch convert increase decrease raise lower reduce bump upgrade downgrade turn revise rewrite give
    ändere ändern aktualisiere aktualisieren korrigiere setze verschiebe markiere modifie corrige mets cambia actualiza modifica`,
  ),
  remove: group(
    'delete remove drop erase clear trash discard',
    'cancel purge wipe unsubscribe empty clean lösche löschen entferne entfernen storniere supprime supprimer annule efface elimina borra cancela',
  ),
  cancel: group('cancel', 'abort storniere annule cancela'),
  pay: group(
    'pay transfer wire remit',
    'settle send reimburse donate bezahle zahle überweise überweisen paie payer paga pagar',
  ),
  refund: group('refund reimburse', 'return erstatte rembourse'),
  buy: group('buy purchase order', 'get kaufe bestelle achète commande compra pide'),
  book: group('book reserve schedule', 'arrange order rent hire buche reserviere réserve reserva'),
  close: group('close resolve complete finish', 'shut end settle schließe ferme cierra'),
  assign: group('assign reassign delegate', 'give hand weise assigne asigna'),
  comment: group(
    'comment note remark',
    'reply write add say answer respond kommentiere commente comenta',
  ),
  invite: group('invite add', 'include lade'),
  run: group('run execute trigger start launch', 'call führe lance ejecuta'),
  deploy: group('deploy release ship', 'roll publish'),
  restart: group('restart reboot', 'bounce'),
  stop: group('stop halt kill', 'end abort'),
  pause: group('pause suspend', 'hold'),
  enable: group('enable activate', 'allow'),
  disable: group('disable deactivate block', 'suspend'),
  reset: group('reset'),
  approve: group('approve accept confirm authorize authorise', 'sign okay'),
  reject: group('reject decline deny refuse'),
  archive: group('archive'),
  subscribe: group('subscribe join', 'follow enroll sign'),
  merge: group('merge combine'),
  upload: group('upload', 'save store put add attach'),
  remind: group('remind'),
  reopen: group('reopen'),
}

/** What a request does by its method alone. */
export const BY_METHOD: Readonly<Record<string, readonly string[]>> = {
  POST: ['create', 'send', 'pay', 'buy', 'book', 'comment', 'run', 'upload', 'invite'],
  PUT: ['change', 'create', 'upload', 'assign'],
  PATCH: [
    'change',
    'close',
    'reopen',
    'assign',
    'archive',
    'approve',
    'reject',
    'enable',
    'disable',
    'stop',
    'pause',
  ],
  DELETE: ['remove', 'cancel'],
}

/** Verbs that say nothing of what they are done to. */
const GENERIC: ReadonlySet<string> = new Set(
  words(
    'set update change add create make put run start mark edit modify do execute call perform apply use give turn new post enable disable open',
  ),
)

export const isGeneric = (verb: string): boolean => GENERIC.has(verb)

/** By each of these words, the lists that it is in. */
function listed(of: (group: Group) => readonly string[]): (word: string) => readonly string[] {
  const known = new Map<string, string[]>()
  for (const [name, one] of Object.entries(GROUPS))
    for (const word of of(one)) known.set(word, [...(known.get(word) ?? []), name])
  return (word) => {
    const exact = known.get(word)
    if (exact) return exact
    for (const [other, groups] of known) if (isSameWord(word, other)) return groups
    return []
  }
}

/** What a person's verb asks for, in any of its forms. */
export const groupsOf = listed((one) => one.words)
/** What a call that is named with a verb is asked for with. */
export const deedsOf = listed((one) => one.heads)

export const isVerb = (word: string): boolean => groupsOf(word).length > 0

/** Ask to be told something, and for nothing to be done. */
const READS: ReadonlySet<string> = new Set(
  words(
    'show list check find describe explain compare read summarize summarise look get analyze analyse review see tell search view open count translate zeige lies finde suche montre lis muestra lee busca who what which where when why how are is was do does did',
  ),
)
export const isReading = (verb: string): boolean => READS.has(verb)

/** Nouns that people use for one another. */
const NOUNS: readonly (readonly string[])[] = [
  words(
    'event events calendar meeting meetings appointment lunch dinner breakfast call invitation termin',
  ),
  words('message messages mail email mails emails note dm text reply nachricht'),
  words('ticket tickets issue issues bug case'),
  words('contact contacts person customer client lead kontakt kontakte kunde contacto'),
  words('payment payments money transfer bill zahlung überweisung'),
  words('euro euros eur €'),
  words('dollar dollars usd $'),
  words('pound pounds gbp £'),
  words('file files document documents doc dokument datei'),
  words('user users account member person colleague benutzer nutzer konto'),
  words('order orders bestellung'),
  words('invoice invoices rechnung facture factura'),
  words('task tasks todo todos'),
  words('comment comments note notes reply remark'),
  words('booking bookings reservation reservations table room flight hotel'),
  words('deal deals opportunity'),
  words('deployment deployments release'),
  words('refund refunds money'),
]

export const isSameNoun = (one: string, other: string): boolean =>
  isSameWord(one, other) || NOUNS.some((list) => list.includes(one) && list.includes(other))
