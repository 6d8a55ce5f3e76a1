import { PLANTED, SEEN, type Shape } from './shape.ts'

const { ssn, email, limit, nickname } = PLANTED
const number = Number(limit)
const person = { id: 'c1', ssn, email, credit_limit: number, nickname, plan: SEEN }
const json = JSON.stringify(person)
const names = ['id', 'ssn', 'email', 'credit_limit', 'nickname', 'plan']
const row = ['c1', ssn, email, number, nickname, SEEN]
const base64 = Buffer.from(json).toString('base64')
const html = `<table><tr><td>SSN</td><td>${ssn}</td></tr><tr><td>Nickname</td><td>${nickname}</td></tr></table>`

/** A shape in JSON of which everything passes that is not restricted. */
const data = (name: string, body: Shape['body']): Shape => ({ name, body, understood: true })
const text = (name: string, type: string, body: string): Shape => ({
  name,
  type,
  body,
  understood: true,
})

/** Shapes of responses that are understood: they lose what is restricted, and nothing else. */
export const UNDERSTOOD: readonly Shape[] = [
  data('an object', person),
  data('objects in lists in objects', {
    data: { items: [{ node: { person } }, { node: person }] },
  }),
  data('names in another spelling', {
    SSN: ssn,
    'E-Mail': email,
    creditLimit: number,
    'Nick Name': nickname,
    plan: SEEN,
  }),
  data('names in other forms of letters', {
    ｓｓｎ: ssn,
    еmаil: email,
    'credit\u200B_limit': number,
    ＮＩＣＫＮＡＭＥ: nickname,
    plan: SEEN,
  }),
  data('names with their entity', {
    person_ssn: ssn,
    personEmail: email,
    'person.credit_limit': number,
    'data/person/nickname': nickname,
    plan: SEEN,
  }),
  data('values in lists and objects', {
    ssn: { value: ssn, versions: [{ value: ssn }] },
    emails: [email, email],
    nickname: { S: nickname },
    plan: SEEN,
  }),
  data('rows below a header', [names, row, row]),
  data('rows below a header, in a field', { range: 'A1:F2', values: [names, row] }),
  data('columns and rows', { columns: names, rows: [row, row] }),
  data('columns in another part', { meta: { columns: names }, data: [row] }),
  data('columns that are objects', {
    fields: names.map((name) => ({ name, type: 'text' })),
    data: [row],
  }),
  data('cells that are objects', {
    schema: { fields: names.map((name) => ({ name })) },
    rows: [{ f: row.map((v) => ({ v })) }],
  }),
  data('names and values in lists of the same length', {
    keys: ['id', 'ssn', 'nickname'],
    values: ['c1', ssn, nickname],
    plan: SEEN,
  }),
  data('a table without a header in a field', { table: [row.slice(0, 5)], plan: SEEN }),
  data('entries of an object', { entries: names.map((name, at) => [name, row[at] ?? null]) }),
  data('names and values in turn', { reply: ['id', 'c1', 'ssn', ssn, nickname], plan: SEEN }),
  data('objects that name their values', {
    fields: [
      { name: 'ssn', value: ssn },
      { key: 'email', val: email },
      { field: 'credit_limit', old: number, new: number },
      { id: 360002, title: 'Nickname', value: nickname },
      { name: 'plan', value: SEEN },
    ],
  }),
  data('a patch', [
    { op: 'replace', path: '/ssn', value: ssn },
    { op: 'add', path: '/person/email', value: email },
    { op: 'replace', path: '/plan', value: SEEN },
  ]),
  data('JSON in JSON', { id: 1, payload: json, plan: SEEN }),
  data('JSON in JSON in JSON', {
    payload: JSON.stringify({ inner: JSON.stringify({ inner: json }) }),
    plan: SEEN,
  }),
  data('lines of JSON in a field', { log: `${json}\n${json}`, plan: SEEN }),
  data('CSV in a field', { export: `id;ssn;nickname\nc1;${ssn};${nickname}\n`, plan: SEEN }),
  data('a sentence in a field', {
    history: `The SSN of Maria is ${ssn}, her nickname is ${nickname}`,
    plan: SEEN,
  }),
  data('other formats in fields', {
    html,
    sql: `INSERT INTO people (ssn) VALUES ('${ssn}')`,
    yaml: `ssn: ${ssn}\nnickname: ${nickname}`,
    [`ssn:${ssn}`]: true,
    plan: SEEN,
  }),
  data('encodings in fields', {
    base64,
    twice: Buffer.from(base64).toString('base64'),
    hex: Buffer.from(json).toString('hex'),
    url: `https://x.example/?state=${encodeURIComponent(json)}`,
    entities: json.replaceAll('"', '&quot;').replaceAll('s', '&#115;'),
    token: `${Buffer.from('{"alg":"none"}').toString('base64')}.${base64}.`,
    plan: SEEN,
  }),
  text('escaped names', 'application/json', `{"plan":"${SEEN}","\\u0073sn":"${ssn}"}`),
  text('a line of JSON for each', 'application/x-ndjson', `${json}\n${json}\n`),
  text('CSV', 'text/csv', `${names.join()}\nc1,${ssn},${email},${limit},"${nickname}",${SEEN}\n`),
  text(
    'CSV with quoted cells',
    'text/csv',
    `ssn;"Nickname";note;plan\r\n"${ssn}";"${nickname}";"a ""b""\nc";${SEEN}\r\n`,
  ),
  text(
    'CSV with tabs',
    'text/tab-separated-values',
    `id\tSSN\tE-Mail\tCredit Limit\tNickname\tPlan\n${row.join('\t')}\n`,
  ),
  { name: 'a refusal in JSON', status: 422, body: { error: 'bad', record: person } },
]
