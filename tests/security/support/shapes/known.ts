import { PLANTED, SEEN, type Shape } from './shape.ts'

const { ssn, email, limit, nickname } = PLANTED
const number = Number(limit)
const person = { id: 'c1', ssn, email, credit_limit: number, nickname, plan: SEEN }
const json = JSON.stringify(person)
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Forms of answers that the reading of answers was written for. */
export const KNOWN: readonly Shape[] = [
  { name: 'an object', body: person, understood: true },
  {
    name: 'objects in lists in objects',
    body: { data: { items: [{ node: { person } }, { node: { person } }] } },
    understood: true,
  },
  {
    name: 'names in another case',
    body: { id: 1, SSN: ssn, EMail: email, creditLimit: number, NickName: nickname, plan: SEEN },
    understood: true,
  },
  {
    name: 'names in full-width, Cyrillic and with unseen characters',
    body: {
      ｓｓｎ: ssn,
      еmаil: email,
      'credit\u200B_limit': number,
      nıckname: nickname,
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'names with something before or behind',
    body: {
      customer_ssn: ssn,
      primaryEmailAddress: email,
      credit_limit_value: number,
      old_nickname: nickname,
      ssn_last4: ssn.slice(-4),
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'names and values beside each other',
    body: {
      fields: [
        { name: 'ssn', value: ssn },
        { key: 'email', val: email },
        { field: 'credit_limit', data: number },
        { label: 'Nickname', text: nickname },
        { name: 'plan', value: SEEN },
      ],
    },
    understood: true,
  },
  {
    name: 'columns and rows',
    body: {
      columns: ['id', 'ssn', 'email', 'credit_limit', 'nickname', 'plan'],
      rows: [['c1', ssn, email, number, nickname, SEEN]],
    },
    understood: true,
  },
  {
    name: 'columns that are objects',
    body: {
      fields: [
        { name: 'id', type: 'int' },
        { name: 'ssn' },
        { name: 'email' },
        { name: 'credit_limit' },
        { name: 'nickname' },
        { name: 'plan' },
      ],
      data: [['c1', ssn, email, number, nickname, SEEN]],
    },
    understood: true,
  },
  {
    name: 'a table below its head',
    body: [
      ['id', 'ssn', 'email', 'credit_limit', 'nickname', 'plan'],
      ['c1', ssn, email, number, nickname, SEEN],
    ],
    understood: true,
  },
  {
    name: 'a table without a head',
    body: [
      ['c1', ssn, email, number, nickname],
      ['c2', ssn, email, number, nickname],
    ],
    withheld: true,
  },
  {
    name: 'a table without a head in a field',
    body: { table: [['c1', ssn, email, number, nickname]], plan: SEEN },
    understood: true,
  },
  {
    name: 'columns of a table as lists',
    body: {
      columns: ['ssn', 'email', 'plan'],
      data: [
        [ssn, ssn, ssn, ssn],
        [email, email, email, email],
        [SEEN, SEEN, SEEN, SEEN],
      ],
    },
    understood: true,
  },
  {
    name: 'a patch',
    body: [
      { op: 'replace', path: '/ssn', value: ssn },
      { op: 'add', path: '/contact/email', value: email },
      { op: 'replace', path: '/credit_limit', value: number },
      { op: 'test', path: '/nickname', value: nickname },
      { op: 'replace', path: '/plan', value: SEEN },
    ],
    understood: true,
  },
  {
    name: 'a list of changes',
    body: {
      changes: [
        { field: 'ssn', old: ssn, new: ssn },
        { field: 'email', from: email, to: email },
        { field: 'nickname', before: nickname, after: nickname },
        { attribute: 'credit_limit', previous: number, current: number },
      ],
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'changes by path',
    body: {
      diff: [
        { kind: 'E', path: ['person', 'ssn'], lhs: ssn, rhs: ssn },
        { kind: 'E', path: ['nickname'], lhs: nickname, rhs: nickname },
      ],
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'a table of HTML',
    type: 'text/html',
    body: `<html><body><table><thead><tr><th>Id</th><th>SSN</th><th>E-mail</th><th>Credit limit</th><th>Nickname</th><th>Plan</th></tr></thead><tbody><tr><td>c1</td><td>${ssn}</td><td>${email}</td><td>${limit}</td><td><b>${nickname}</b></td><td>${SEEN}</td></tr></tbody></table></body></html>`,
    understood: true,
  },
  {
    name: 'a table of HTML with names beside values',
    type: 'text/html',
    body: `<table><tr><th>SSN</th><td>${ssn}</td></tr><tr><th>E-mail</th><td>${email}</td></tr><tr><th>Plan</th><td>${SEEN}</td></tr></table>`,
    understood: true,
  },
  {
    name: 'a list of terms',
    type: 'text/html',
    body: `<dl><dt>SSN</dt><dd>${ssn}</dd><dt>Nickname</dt><dd>${nickname}</dd><dt>Plan</dt><dd>${SEEN}</dd></dl>`,
    understood: true,
  },
  {
    name: 'a page of HTML',
    type: 'text/html',
    body: `<html><body><h1>Maria</h1><p>Her number is ${ssn}, she is called ${nickname}.</p></body></html>`,
    withheld: true,
  },
  {
    name: 'elements of XML',
    type: 'application/xml',
    body: `<?xml version="1.0"?><person><id>c1</id><ssn>${ssn}</ssn><email>${email}</email><creditLimit>${limit}</creditLimit><nickname>${nickname}</nickname><plan>${SEEN}</plan></person>`,
    understood: true,
  },
  {
    name: 'attributes of XML',
    type: 'text/xml',
    body: `<people><person id="c1" ssn="${ssn}" email="${email}" credit-limit="${limit}" nickname="${nickname}" plan="${SEEN}"/></people>`,
    understood: true,
  },
  {
    name: 'XML with names in attributes',
    type: 'text/xml',
    body: `<record><field name="ssn">${ssn}</field><field name="nickname">${nickname}</field><field name="email" value="${email}"/><field name="plan">${SEEN}</field></record>`,
    understood: true,
  },
  {
    name: 'CDATA',
    type: 'text/xml',
    body: `<person><ssn><![CDATA[${ssn}]]></ssn><raw><![CDATA[${json}]]></raw><plan>${SEEN}</plan></person>`,
    understood: true,
  },
  { name: 'JSON in JSON', body: { id: 1, payload: json, plan: SEEN }, understood: true },
  {
    name: 'JSON in JSON in JSON',
    body: { payload: JSON.stringify({ inner: JSON.stringify({ inner: json }) }), plan: SEEN },
    understood: true,
  },
  {
    name: 'JSON with escaped names',
    body: `{"plan":"${SEEN}","payload":"{\\"\\\\u0073sn\\":\\"${ssn}\\",\\"nick\\\\u006eame\\":\\"${nickname}\\"}"}`,
    type: 'application/json',
    understood: true,
  },
  { name: 'JSON in base64', body: { payload: base64(json), plan: SEEN }, understood: true },
  { name: 'base64 of JSON as a whole', type: 'text/plain', body: base64(json) },
  {
    name: 'a line of JSON for each',
    type: 'application/x-ndjson',
    body: `${json}\n${json}\n`,
    understood: true,
  },
  {
    name: 'server-sent events',
    type: 'text/event-stream',
    body: `event: row\ndata: ${json}\n\ndata: ${json}\n\ndata: [DONE]\n\n`,
    understood: true,
  },
  {
    name: 'values parted by commas',
    type: 'text/csv',
    body: `id,ssn,email,credit_limit,nickname,plan\nc1,${ssn},${email},${limit},"${nickname}",${SEEN}\n`,
    understood: true,
  },
  {
    name: 'values parted by tabs',
    type: 'text/tab-separated-values',
    body: `id\tSSN\tE-Mail\tCredit Limit\tNickname\tPlan\nc1\t${ssn}\t${email}\t${limit}\t${nickname}\t${SEEN}\n`,
    understood: true,
  },
  {
    name: 'values parted by commas, without a head',
    type: 'text/csv',
    body: `c1,${ssn},${email},${limit},${nickname}\nc2,${ssn},${email},${limit},${nickname}\n`,
    withheld: true,
  },
  {
    name: 'a dump of a database',
    type: 'text/plain',
    body: `-- dump\nINSERT INTO people (id, ssn, email, credit_limit, nickname, plan) VALUES ('c1', '${ssn}', '${email}', ${limit}, '${nickname}', '${SEEN}');\n`,
    understood: true,
  },
  {
    name: 'a dump without columns',
    type: 'application/sql',
    body: `INSERT INTO people VALUES ('c1', '${ssn}', '${email}', ${limit}, '${nickname}');\n`,
  },
  {
    name: 'keys that are values',
    body: {
      by_ssn: { [ssn]: { id: 'c1' } },
      by_email: { [email]: { id: 'c1' } },
      people: { [ssn]: { ssn, id: 'c1' } },
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'lines of names and values',
    type: 'text/plain',
    body: `id: c1\nssn: ${ssn}\nemail: ${email}\ncredit_limit: ${limit}\nnickname: ${nickname}\nplan: ${SEEN}\n`,
    understood: true,
  },
  {
    name: 'settings',
    type: 'text/plain',
    body: `[person]\nssn = ${ssn}\nemail = ${email}\nnickname = "${nickname}"\nplan = ${SEEN}\n`,
    understood: true,
  },
  {
    name: 'YAML',
    type: 'application/yaml',
    body: `people:\n  - id: c1\n    ssn: "${ssn}"\n    nickname: >-\n      ${nickname}\n    plan: ${SEEN}\n`,
    understood: true,
  },
  {
    name: 'a table of Markdown',
    type: 'text/markdown',
    body: `| id | SSN | Nickname | Plan |\n|----|-----|------|------|\n| c1 | ${ssn} | ${nickname} | ${SEEN} |\n`,
    understood: true,
  },
  {
    name: 'a query',
    type: 'application/x-www-form-urlencoded',
    body: `id=c1&ssn=${ssn}&email=${encodeURIComponent(email)}&credit_limit=${limit}&nickname=${nickname}&plan=${SEEN}`,
    understood: true,
  },
  {
    name: 'parts of a form',
    type: 'text/plain',
    body: `--xyz\r\nContent-Disposition: form-data; name="ssn"\r\n\r\n${ssn}\r\n--xyz\r\nContent-Disposition: form-data; name="nickname"\r\n\r\n${nickname}\r\n--xyz\r\nContent-Disposition: form-data; name="plan"\r\n\r\n${SEEN}\r\n--xyz--\r\n`,
    understood: true,
  },
  {
    name: 'a card',
    type: 'text/vcard',
    body: `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Maria\r\nEMAIL;TYPE=home:${email}\r\nX-SSN:${ssn}\r\nNICKNAME:${nickname}\r\nX-PLAN:${SEEN}\r\nEND:VCARD\r\n`,
    understood: true,
  },
  {
    name: 'a sentence',
    type: 'text/plain',
    body: `Maria (${nickname}) has the number ${ssn} and a limit of ${limit}; write to ${email}.`,
    withheld: true,
  },
  { name: 'a number', type: 'application/json', body: limit, withheld: true },
  { name: 'a text of JSON', type: 'application/json', body: JSON.stringify(ssn), withheld: true },
  { name: 'a list of texts', body: [ssn, email, nickname], withheld: true },
  { name: 'bytes', type: 'image/png', body: `\u0089PNG ${ssn} ${nickname}` },
  {
    name: 'a sentence in a field',
    body: { id: 1, history: `The SSN of Maria is ${ssn}, her nickname is ${nickname}`, plan: SEEN },
    understood: true,
  },
  { name: 'a refusal in JSON', status: 422, body: { error: 'bad', record: person } },
  {
    name: 'a refusal in words',
    status: 404,
    type: 'text/plain',
    body: `nobody has ${ssn} or ${nickname}`,
  },
]
