import { PLANTED, type Shape } from './shape.ts'

const { ssn, email, limit, nickname } = PLANTED
const json = JSON.stringify({ id: 'c1', ssn, email, nickname })

const other = (name: string, type: string, body: Shape['body']): Shape => ({
  name,
  type,
  body,
  withheld: true,
})

/** Responses of any other format: nothing of them passes. */
export const OTHER_FORMATS: readonly Shape[] = [
  other('a sentence', 'text/plain', `Maria (${nickname}) has the number ${ssn}: ${email}.`),
  other('a short address', 'text/plain', 'ssn@x.example'),
  other('a number', 'application/json', limit),
  other('a text of JSON', 'application/json', JSON.stringify(ssn)),
  other('a list of texts', 'application/json', [ssn, email, nickname]),
  other('a list of numbers', 'application/json', [Number(limit), 7]),
  other('a table without a header', 'application/json', [
    ['c1', ssn, email, nickname],
    ['c2', ssn, email, nickname],
  ]),
  other('CSV without a header', 'text/csv', `c1,${ssn},${nickname}\nc2,${ssn},${nickname}\n`),
  other('CSV of names and values', 'text/csv', `field,value\nssn,${ssn}\nplan,x\n`),
  other('JSON that was cut off', 'application/json', json.slice(0, -10)),
  other('JSON with a prefix', 'application/json', `)]}',\n${json}`),
  other('JSON as an argument', 'application/javascript', `callback(${json});`),
  other('words before JSON', 'text/plain', `Found Maria:\n${json}`),
  other('JSON in base64', 'text/plain', Buffer.from(json).toString('base64')),
  other('server-sent events', 'text/event-stream', `event: row\ndata: ${json}\n\n`),
  other('lines of names and values', 'text/plain', `id: c1\nssn: ${ssn}\nnickname: ${nickname}\n`),
  other('YAML', 'application/yaml', `people:\n  - ssn: "${ssn}"\n    nickname: ${nickname}\n`),
  other('settings', 'text/plain', `[person]\nssn = ${ssn}\nnickname = "${nickname}"\n`),
  other('values of a log', 'text/plain', `level=info ssn=${ssn} nickname=${nickname}`),
  other('a form', 'application/x-www-form-urlencoded', `ssn=${ssn}&nickname=${nickname}`),
  other(
    'parts of a form',
    'text/plain',
    `--xyz\r\nContent-Disposition: form-data; name="ssn"\r\n\r\n${ssn}\r\n--xyz--\r\n`,
  ),
  other('a card', 'text/vcard', `BEGIN:VCARD\r\nX-SSN:${ssn}\r\nNICKNAME:${nickname}\r\n`),
  other('SQL', 'application/sql', `INSERT INTO people (ssn, name) VALUES ('${ssn}', 'Maria');\n`),
  other('XML', 'application/xml', `<person><ssn>${ssn}</ssn><raw>${nickname}</raw></person>`),
  other('HTML', 'text/html', `<table><tr><th>SSN</th><td>${ssn}</td></tr></table>`),
  other('a table of Markdown', 'text/markdown', `| id | SSN |\n|----|-----|\n| c1 | ${ssn} |\n`),
  other('a table of psql', 'text/plain', ` id |     ssn\n----+----------\n c1 | ${ssn}\n(1 row)\n`),
  other('columns of fixed width', 'text/plain', `ID  SSN          NAME\nc1  ${ssn}  ${nickname}\n`),
  other('an object of Python', 'text/plain', `{'ssn': '${ssn}', 'nickname': '${nickname}'}`),
  { name: 'bytes', type: 'image/png', body: `\u0089PNG ${ssn} ${nickname}` },
  { name: 'a refusal in words', status: 404, type: 'text/plain', body: `nobody has ${ssn}` },
]
