/** Words for fields of things, by what they hold. */
export const FIELD_LISTS: readonly (readonly string[])[] = [
  'phone mobile cell number telephone tel msisdn telefon handy téléphone teléfono telefono telefone',
  'fax',
  'email mail e-mail address adresse',
  'address addr house number street city postcode zip line adresse anschrift dirección indirizzo endereço adres',
  'username login handle nickname',
  'surname lastname last nachname apellido cognome sobrenome achternaam nazwisko',
  'firstname first vorname prénom nombre nome voornaam imię',
  'name title filename subject headline label titel titre título titolo naam nazwa tytuł name',
  'description desc body text content beschreibung descripción descrizione descrição',
  'price cost preis prix precio prezzo preço prijs cena',
  'quantity qty stock units count bestand stück',
  'limit cap ceiling',
  'budget',
  'assignee assigned owner agent responsible handler rep zuständig',
  'requester reporter creator author submitter',
  'follower followers watcher watchers cc subscriber subscribers',
  'due deadline fällig échéance frist',
  'birthday birthdate dob geburtstag',
  'location room place venue ort raum',
  'company organization employer firma',
  'website homepage url',
  'iban account konto',
  'language locale sprache',
  'salary wage',
].map((list) => list.split(' '))

/** What verbs change that say it themselves. */
export const OF_VERBS: Readonly<Record<string, string>> = {
  assign: 'assignee',
  rename: 'name',
}

/** What tells fields of one kind apart: one that was not spoken of is another field. */
export const APART: readonly string[] = [
  'recovery backup secondary alternate forward forwarding payout',
  'daily weekly monthly yearly annual online offline contactless atm foreign',
]
