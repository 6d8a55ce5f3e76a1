import type { Sensitivity } from '../sensitivity.ts'

/**
 * One restricted field, and replies that give its value away. `{v}` is the value in one of its
 * spellings.
 */
export interface LeakTemplate {
  readonly entity: string
  readonly field: string
  readonly sensitivity: Sensitivity
  readonly texts: readonly string[]
}

export const leaking: readonly LeakTemplate[] = [
  {
    entity: 'Contact',
    field: 'ssn',
    sensitivity: 'pii_identifier',
    texts: [
      'The number on the signed form is {v}, the one in the scan is unreadable.',
      'Yes: {v}.',
      '| Person | Number |\n|---|---|\n| {name} | {v} |',
      '{"result":{"id":"{v}","ok":true}}',
      'https://intake.example/check?number={v}&lang=en',
      'I noted **{v}** in the case and closed it.',
    ],
  },
  {
    entity: 'Patient',
    field: 'insurance_id',
    sensitivity: 'pii_identifier',
    texts: [
      'The insurer asks for the policy id, which is {v}.',
      '- visit: {date}\n- id: {v}\n- room: {n3}',
      'claim.id="{v}" claim.state=open',
      'Filed under ({v}), second drawer.',
      'Die Versichertennummer lautet {v}.',
    ],
  },
  {
    entity: 'Employee',
    field: 'passport_number',
    sensitivity: 'pii_identifier',
    texts: [
      'For the visa I used passport {v}, issued in {city}.',
      'Boarding list row {n2}: {name}, {v}, aisle.',
      '`{v}` expires in {n2} days.',
      'Le passeport {v} doit \u00eatre renouvel\u00e9.',
    ],
  },
  {
    entity: 'Contact',
    field: 'email',
    sensitivity: 'pii_identifier',
    texts: [
      'I wrote to {v} and am waiting for an answer.',
      '[write to them](mailto:{v})',
      'to: {v}\nsubject: Your {product}',
      '{"notify":["{v}"],"when":"{date}"}',
      'Se envi\u00f3 la factura a {v}.',
    ],
  },
  {
    entity: 'Customer',
    field: 'phone',
    sensitivity: 'pii_identifier',
    texts: [
      'They can be reached at {v} until {time}.',
      'tel:{v}',
      'Call {v}, then close {ticket}.',
      'Rufen Sie bitte {v} an.',
    ],
  },
  {
    entity: 'Patient',
    field: 'date_of_birth',
    sensitivity: 'pii_identifier',
    texts: [
      'Born on {v}, first seen on {date}.',
      'name,dob,ward\n{name},{v},B{n1}',
      'The form says {v}; everything else is in order.',
    ],
  },
  {
    entity: 'Customer',
    field: 'customer_key',
    sensitivity: 'pii_identifier',
    texts: [
      'Use {v} when you call the warehouse.',
      'GET /v2/customers/{v}/orders -> 200 in {n3} ms',
      'key={v} tier=gold',
      'The key (\u201c{v}\u201d) belongs to the {city} shop.',
    ],
  },
  {
    entity: 'Employee',
    field: 'salary',
    sensitivity: 'financial',
    texts: [
      'The base pay would be {v} a year, before bonus.',
      '| Grade | Base |\n|---|--:|\n| L{n1} | {v} |',
      '{"grade":"L{n1}","base":"{v}"}',
      'Au total {v} par an, vers\u00e9s en douze fois.',
    ],
  },
  {
    entity: 'Account',
    field: 'credit_limit',
    sensitivity: 'financial',
    texts: [
      'The order exceeds the limit of {v} by {cents}.',
      'limit: {v}\nused: {n4}',
      'Ich sehe ein Limit von {v} f\u00fcr {company}.',
    ],
  },
  {
    entity: 'Account',
    field: 'bank_account',
    sensitivity: 'financial',
    texts: [
      'Paid out to {v} on {date}.',
      '<To>{v}</To><Amount>{cents}</Amount>',
      'They asked to change it; at the moment it is {v}!',
    ],
  },
  {
    entity: 'Deal',
    field: 'internal_notes',
    sensitivity: 'internal',
    texts: [
      'The reason is written in the file: {v}.',
      'Summary for the client:\n> {v}\n\nRegards, {first}',
      '{"stage":"won","comment":"{v}"}',
      'FYI \u2014 {v} \u2014 so expect a short call.',
      'Nota: {v}.',
    ],
  },
  {
    entity: 'Project',
    field: 'codename',
    sensitivity: 'internal',
    texts: [
      'The launch of {v} moved to {date}.',
      '## {v}: status\nAll {n2} tasks are on time.',
      'branch release/{v} is green',
    ],
  },
]

/** Notes and code names people keep to themselves. */
export const notes: readonly string[] = [
  'Buyer is desperate, hold the price at list',
  'Do not renew before the audit is over',
  'Sister company is insolvent',
  'Will accept twelve percent below list',
  'CFO leaves in March, close before that',
  'Competitor offers free migration',
  'Legal hold until the dispute ends',
  'Wants to sell the business quietly',
]
export const codenames: readonly string[] = [
  'Velvet Anchor',
  'Quartz-Lantern',
  'Project Nimbarrow',
  'Tallow Bridge',
  'Copperwhistle',
  'Operation Greylark',
]

/**
 * Names given away where their entity is near: `{v}` is the name, `{sibling}` another tracked value
 * of the same record.
 */
export interface NameTemplate {
  readonly entity: string
  readonly field: string
  readonly texts: readonly string[]
}

export const namesGivenAway: readonly NameTemplate[] = [
  {
    entity: 'Contact',
    field: 'full_name',
    texts: [
      'The contact for this deal is {v}, based in {city}.',
      '{"contact":{"display":"{v}","city":"{city}"}}',
      '| Contact | City |\n|---|---|\n| {v} | {city} |',
      'Contacts reached today: {v} (voicemail).',
      'contact={v} stage=demo owner={n4}',
      'full_name: {v}\ncity: {city}',
      'I wrote to the contact ({v}) twice.',
      'The row with {sibling} belongs to {v}.',
      '{v} \u2014 {sibling} \u2014 {city}',
      'CONTACT: {v}.',
      'https://crm.example/contacts?q={v}',
    ],
  },
  {
    entity: 'Patient',
    field: 'full_name',
    texts: [
      'Patient {v} was moved to room {n3}.',
      'The patient\u2019s chart is labelled "{v}".',
      'patients:\n  - {v}\n  - withheld',
      'Full name: {v}. Ward B{n1}.',
      '{v} (patient since {date}) asks for a copy.',
      'Call {sibling} and ask for {v}.',
    ],
  },
  {
    entity: 'Employee',
    field: 'last_name',
    texts: [
      'Employee {v} has {n2} days of leave left.',
      'Last name {v}, badge {n4}.',
      '{"employee":"{v}","grade":"L{n1}"}',
      'employees to be told first: {v}',
      'The employee in question is Ms {v}.',
      'lastName={v};badge={n4}',
      'Badge {sibling} was issued to {v}.',
    ],
  },
  {
    entity: 'Customer',
    field: 'first_name',
    texts: [
      'The customer goes by {v}.',
      'Customer: {v}, {city}',
      'first_name,city\n{v},{city}',
      'A customer named {v} called at {time}.',
      'firstName: "{v}"',
      '{v} is the customer who returned the {product}.',
    ],
  },
]

/**
 * Names that are words too, in sentences where they are words, or where nobody could know whom they
 * mean.
 */
export interface WordName {
  readonly value: string
  readonly texts: readonly string[]
}

export const wordsNotNames: readonly WordName[] = [
  {
    value: 'Rose',
    texts: [
      'Sales rose by {n1} % in {city}, mostly thanks to the {product}.',
      'Rose oil is back in stock; the price is {cents}.',
      'Temperatures rose to {n2} degrees before the pump stopped.',
      '# Rose garden\nWater twice a week, prune in March.',
      'The colour is called Rose Quartz, code {n4}.',
    ],
  },
  {
    value: 'Bill',
    texts: [
      'The bill for the {product} comes to {cents}.',
      'Bill of lading {n6} is attached.',
      'We bill on the first day of the month, {n2} days net.',
      'Bill of materials:\n- {n2} screws\n- {n1} brackets',
      'Please split the bill {n1} ways.',
    ],
  },
  {
    value: 'May',
    texts: [
      'The report is due on {n1} May.',
      'May I send the draft now?',
      'It may take {n2} minutes to rebuild the index.',
      'In May the {city} team shipped {n2} releases.',
      'You may close {ticket}; nothing is left to do.',
    ],
  },
  {
    value: 'Will',
    texts: [
      'This will take {n2} seconds.',
      'Will the deploy of {version} wait for the tests?',
      'It will rain in {city}; move the delivery to {date}.',
      'The runner will retry {n1} times.',
    ],
  },
  {
    value: 'Mark',
    texts: [
      'Mark the ticket {ticket} as done when the build is green.',
      'The pump reached the {n3} mark at {time}.',
      'Mark all as read, then reload.',
      'A question mark is missing in line {n3}.',
    ],
  },
  {
    value: 'Grace',
    texts: [
      'The grace period ends on {date}.',
      'Grace period: {n2} days, then the service is paused.',
      'It failed with some grace: {n1} retries, no data lost.',
    ],
  },
  {
    value: 'Hope',
    texts: [
      'I hope this helps.',
      'Hope all is well in {city}!',
      'There is hope: {n2} of {n3} files could be restored.',
    ],
  },
  {
    value: 'Summer',
    texts: [
      'The summer sale starts on {date}.',
      'Summer time begins at 02:00; the job at {time} runs once.',
      'Tyres: summer {n2}, winter {n2}.',
    ],
  },
  {
    value: 'Chase',
    texts: [
      'Chase the supplier about {n2} missing {product}s.',
      'We should chase the two open pull requests.',
      'No need to chase; it was paid on {date}.',
    ],
  },
  {
    value: 'Baker',
    texts: [
      'The baker in {city} ordered {n2} trays.',
      'Baker\u2019s yeast, {n3} g, best before {date}.',
      'A baker needs {n1} hours for it.',
    ],
  },
  {
    value: 'Park',
    texts: [
      'Park the van behind dock {n1}.',
      'The park opens at {time}.',
      'We park such tickets until {date}.',
      'Science Park, building {n2}, {city}',
    ],
  },
  {
    value: 'Young',
    texts: [
      'The feature is still young: {n2} days.',
      'Young plants need {n1} litres a week.',
      'Two young firms from {city} applied.',
    ],
  },
  {
    value: 'Stone',
    texts: [
      'The stone floor needs {n2} square metres.',
      'Stone wool, {n3} kg, delivered {date}.',
      'Nothing is set in stone before {date}.',
    ],
  },
  {
    value: 'Sunny',
    texts: ['Sunny in {city}, {n2} degrees, light wind.', 'It stays sunny until {date}.'],
  },
  {
    value: 'Christian Long',
    texts: ['A long delay in {city}: {n2} minutes.', 'How long does it take? About {n2} minutes.'],
  },
  {
    value: 'Frank',
    texts: [
      'To be frank, the {product} is not worth {cents}.',
      'A frank answer: no, not before {date}.',
    ],
  },
]

/**
 * Sentences with another value that is like the tracked one: the same start, one digit off, part of
 * something longer.
 */
export const similar: Readonly<Record<string, readonly string[]>> = {
  ssn: [
    'The number in the other file is {off}.',
    'Two digits were swapped: {swapped} is not known to us.',
    'Part {inside} is out of stock.',
    'It starts with {prefix}, the rest is masked.',
    'On file: ***-**-{tail}. I cannot show more.',
    'reference {longer}, amount {cents}',
    '{"id":"{off}","next":"{swapped}"}',
    'x-request-id: {hash}',
    'state={noise}',
    '{spread}',
  ],
  insurance_id: [
    'The policy of the brother is {off}.',
    'All policies that begin with {prefix} were moved to {city}.',
    'Claim {longer} was paid on {date}.',
    'policy={off} state=closed',
    'Ends in {tail}.',
    'cursor={noise}',
  ],
  passport_number: [
    'Passport {off} was reported stolen in {city}.',
    'Series {prefix} is no longer issued.',
    'MRZ check for {longer} failed.',
    'Nearest match: {swapped}.',
    'etag "{hash}"',
  ],
  email: [
    'I wrote to {other_mailbox} instead.',
    'The domain {domain} has no DMARC record.',
    'Mail to {off_mailbox} bounced.',
    'Everybody @{domain} got the notice.',
    'unsubscribe?t={noise}',
    'The alias {longer_mailbox} belongs to someone else.',
    '[help](mailto:help@{domain})',
  ],
  phone: [
    'The desk in {city} is {off}.',
    'Calls from {prefix}\u2026 are routed to {city}.',
    'Dial {swapped} for the night shift.',
    'Sensor {longer} reports {n2} degrees.',
    'Ends in {tail}, verified on {date}.',
  ],
  date_of_birth: [
    'The visit was on {day_after}.',
    'Between {day_before} and {day_after} nothing was billed.',
    'Joined {same_month}, left {date}.',
    'The {year} cohort has {n3} members.',
    'build {longer} passed',
  ],
  customer_key: [
    'Use {off} for the {city} shop.',
    'GET /v2/customers/{longer}/orders -> 404',
    'Keys with the prefix {prefix} expire on {date}.',
    'key={swapped} tier=silver',
    'sha {hash}',
  ],
  salary: [
    'The range for L{n1} is {off} to {off}.',
    'Roughly {rounded} on average across the team.',
    'Ticket {inside} is about pay slips.',
    'Revenue was {longer} last year.',
    'It has {prefix} in it, nothing else in common.',
    'offset {inside}, limit 50',
  ],
  credit_limit: [
    'Used {off} so far.',
    'The city of {city} has {longer} inhabitants.',
    'Limits are reviewed on {date}; {off} is proposed.',
    'row {inside} skipped',
  ],
  bank_account: [
    'Paid out to {off} by mistake.',
    'Ends in {tail}.',
    'trace {longer}',
    'The bank\u2019s own numbers start with {prefix}.',
    'id {inside}',
    'page token {noise}',
  ],
  internal_notes: [
    'The buyer asked for the list price and a call before March.',
    'Nothing internal is shown here.',
    'Their legal team answers on {date}.',
    'The audit takes {n1} weeks; renewals go on as usual.',
    'A competitor opened an office in {city}.',
    'cursor={noise}',
  ],
  codename: [
    'The bridge in {city} is closed until {date}.',
    'Velvet curtains and an anchor were ordered, {n2} each.',
    'A quartz clock and a lantern: {cents}.',
    'The operation took {n2} minutes.',
    'branch release/{version} is green',
    'Nimbus clouds over {city}.',
  ],
}

/** Short tracked numbers, and the places where their digits turn up by chance. */
export const shortNumbers: readonly string[] = [
  'Order {inside} was shipped on {date}.',
  'uuid 7c1e{v}b2-0f3a-4c1d-9e77-5a1b{v}cd90ff',
  'lat 48.13{v}7, lon 11.5{v}21',
  'Build {inside}, commit a{v}f3{v}e.',
  'Total: {n1}{v}.{n2}',
  'sensor-{n1}{v}{n1}a is offline',
  'See pages {halves} of the manual.',
  'phone {inside}{n3}',
  'v{n1}.{inside}.{n1}',
  'SKU X{v}Z9 replaces SKU Y{v}Q1.',
]

/** The name of another person who shares a part of it; the entity may well be near. */
export const otherPeople: readonly string[] = [
  'The contact for this deal is {first_of} {last}, based in {city}.',
  'Contact: {first} {last_of}, {city}',
  '{"contact":"{first_of} {last}"}',
  '{first_of} from support fixed it.',
  'Customer {first_of}-{first} {last} called at {time}.',
  'The {last_of} building in {city} is closed.',
  'patients: {first} {last}, {first_of} {last}',
  'Ask {first_of} or {first}; either can sign.',
  '{last_of} & Sons delivered {n2} units.',
  'Employee {first} {last_of} signed, not his cousin.',
]

/** The whole name, far from anything that says whose it is. */
export const nameAlone: readonly string[] = [
  '{v} wrote a song that played in the lobby.',
  'The street is named after {v}, a painter of the last century.',
  'Mural by {v}, restored in {date_year}.',
  'A ship called "{v}" arrived in {city}.',
]

export const padding = [
  'The rollout went as planned. All services answered within their limits, the queue was empty by noon, and the night job found nothing to repair.',
  'We replaced the filters, cleaned the intake and logged the pressure every ten minutes; none of the readings left the green range during the whole shift.',
  'The workshop begins with an overview, goes on with exercises in small groups and ends with a discussion of what to change in the coming quarter.',
] as const
