import { gzipSync } from 'node:zlib'
import { PLANTED, SEEN, type Shape } from './shape.ts'

const { ssn, email, limit, nickname } = PLANTED
const number = Number(limit)
const person = { id: 'c1', ssn, email, credit_limit: number, nickname, plan: SEEN }
const json = JSON.stringify(person)
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Forms of answers that were written down when the reading of answers was done. */
export const FRESH: readonly Shape[] = [
  {
    name: 'rows of BigQuery',
    body: {
      schema: {
        fields: [
          { name: 'id' },
          { name: 'ssn' },
          { name: 'credit_limit' },
          { name: 'nickname' },
          { name: 'plan' },
        ],
      },
      rows: [{ f: [{ v: 'c1' }, { v: ssn }, { v: limit }, { v: nickname }, { v: SEEN }] }],
      totalRows: '1',
    },
    understood: true,
  },
  {
    name: 'a table of Google charts',
    body: {
      cols: [
        { id: '', label: 'SSN' },
        { id: '', label: 'E-mail' },
        { id: '', label: 'Plan' },
      ],
      rows: [{ c: [{ v: ssn }, { v: email }, { v: SEEN }] }],
    },
    understood: true,
  },
  {
    name: 'result sets',
    body: {
      resource: 'people',
      resultSets: [
        {
          name: 'People',
          headers: ['ID', 'SSN', 'NICKNAME', 'PLAN'],
          rowSet: [['c1', ssn, nickname, SEEN]],
        },
      ],
    },
    understood: true,
  },
  {
    name: 'columns in the meta data',
    body: {
      meta: {
        view: {
          columns: [
            { fieldName: 'ssn', dataTypeName: 'text' },
            { fieldName: 'nickname', dataTypeName: 'text' },
            { fieldName: 'plan', dataTypeName: 'text' },
          ],
        },
      },
      data: [[ssn, nickname, SEEN]],
    },
    understood: true,
  },
  {
    name: 'values of a sheet',
    body: {
      range: 'A1:E2',
      majorDimension: 'ROWS',
      values: [
        ['Customer', 'SSN', 'Nickname', 'Plan'],
        ['Maria', ssn, nickname, SEEN],
      ],
    },
    understood: true,
  },
  {
    name: 'columns as lists by name',
    body: {
      id: ['c1', 'c2'],
      ssn: [ssn, ssn],
      email: [email, email],
      nickname: [nickname, nickname],
      plan: [SEEN, SEEN],
    },
    understood: true,
  },
  {
    name: 'a frame split in index, columns and data',
    body: {
      index: [0, 1],
      columns: ['ssn', 'nickname', 'plan'],
      data: [
        [ssn, nickname, SEEN],
        [ssn, nickname, SEEN],
      ],
    },
    understood: true,
  },
  {
    name: 'entries of an object',
    body: {
      entries: [
        ['id', 'c1'],
        ['ssn', ssn],
        ['email', email],
        ['credit_limit', number],
        ['nickname', nickname],
        ['plan', SEEN],
      ],
    },
    understood: true,
  },
  {
    name: 'names and values in turn',
    body: {
      reply: ['id', 'c1', 'ssn', ssn, 'nickname', nickname, 'credit_limit', number],
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'lists beside each other',
    body: { keys: ['id', 'ssn', 'nickname'], values: ['c1', ssn, nickname], plan: SEEN },
    understood: true,
  },
  {
    name: 'questions and answers',
    body: {
      form: [
        { question: 'What is your SSN?', answer: ssn },
        { q: 'Nickname', a: nickname },
        { question: 'Plan', answer: SEEN },
      ],
    },
    understood: true,
  },
  {
    name: 'typed values',
    body: {
      Item: {
        ssn: { S: ssn },
        credit_limit: { N: limit },
        nickname: { S: nickname },
        email: { S: email },
        plan: { S: SEEN },
      },
    },
    understood: true,
  },
  {
    name: 'attributes of a directory',
    body: {
      userAttributes: [
        { Name: 'custom:ssn', Value: ssn },
        { Name: 'email', Value: email },
        { Name: 'custom:nickname', Value: nickname },
        { Name: 'plan', Value: SEEN },
      ],
    },
    understood: true,
  },
  {
    name: 'properties with versions',
    body: {
      properties: {
        ssn: { value: ssn, versions: [{ value: ssn }] },
        nickname: { value: nickname, versions: [{ value: nickname }] },
        plan: { value: SEEN },
      },
    },
    understood: true,
  },
  {
    name: 'custom fields by number',
    body: {
      custom_fields: [
        { id: 360001, title: 'SSN', value: ssn },
        { id: 360002, title: 'Nickname', value: nickname },
      ],
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'a dotted path for each value',
    body: {
      'person.ssn': ssn,
      'person[email]': email,
      'person/nickname': nickname,
      'data.person.credit_limit': number,
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'a value in the name of a field',
    body: { [`ssn:${ssn}`]: true, [`nickname=${nickname}`]: 1, plan: SEEN },
    understood: true,
  },
  {
    name: 'a patch of values by paths',
    body: { set: { '/ssn': ssn, '/nickname': nickname }, plan: SEEN },
    understood: true,
  },
  {
    name: 'Markdown with words around its table',
    type: 'text/markdown',
    body: `# People\n\nThese are **all** people we know, such as ${nickname}.\n\n| Name | SSN |\n|---|---|\n| Maria | ${ssn} |\n`,
  },
  {
    name: 'a table of psql',
    type: 'text/plain',
    body: ` id |     ssn     |       nickname        | plan\n----+-------------+-----------------------+------\n c1 | ${ssn} | ${nickname} | ${SEEN}\n(1 row)\n`,
    understood: true,
  },
  {
    name: 'a table of MySQL',
    type: 'text/plain',
    body: `+----+-------------+-----------------------+------+\n| id | ssn         | nickname              | plan |\n+----+-------------+-----------------------+------+\n| c1 | ${ssn} | ${nickname} | ${SEEN} |\n+----+-------------+-----------------------+------+\n1 row in set (0.00 sec)\n`,
    understood: true,
  },
  {
    name: 'columns of fixed width',
    type: 'text/plain',
    body: `ID  SSN          NICKNAME\nc1  ${ssn}  ${nickname}\n`,
    withheld: true,
  },
  {
    name: 'SOAP',
    type: 'text/xml',
    body: `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><m:GetPersonResponse xmlns:m="urn:x"><m:SSN>${ssn}</m:SSN><m:NickName>${nickname}</m:NickName><m:Plan>${SEEN}</m:Plan></m:GetPersonResponse></soap:Body></soap:Envelope>`,
    understood: true,
  },
  {
    name: 'a property list',
    type: 'text/xml',
    body: `<?xml version="1.0"?><plist><dict><key>id</key><string>c1</string><key>ssn</key><string>${ssn}</string><key>nickname</key><string>${nickname}</string></dict></plist>`,
  },
  {
    name: 'a feed with HTML inside',
    type: 'application/rss+xml',
    body: `<rss><channel><item><title>${SEEN}</title><description><![CDATA[<table><tr><th>SSN</th><th>Nickname</th></tr><tr><td>${ssn}</td><td>${nickname}</td></tr></table>]]></description></item></channel></rss>`,
    understood: true,
  },
  {
    name: 'XML with JSON in an attribute',
    type: 'text/xml',
    body: `<person plan="${SEEN}" data="${json.replaceAll('"', '&quot;')}"/>`,
    understood: true,
  },
  {
    name: 'a form that is filled in',
    type: 'text/html',
    body: `<form><label for="s">SSN</label><input id="s" name="ssn" value="${ssn}"><input name="nickname" value="${nickname}"></form>`,
    withheld: true,
  },
  {
    name: 'HTML in a field',
    body: {
      html: `<table><tr><td>SSN</td><td>${ssn}</td></tr><tr><td>Nickname</td><td>${nickname}</td></tr></table>`,
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'HTML whose class names the field',
    body: {
      html: `<div><span class="ssn">${ssn}</span><span data-field="nickname">${nickname}</span></div>`,
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'a web token',
    body: {
      token_for: 'x',
      assertion: `${base64('{"alg":"none"}')}.${Buffer.from(json).toString('base64url')}.`,
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'compressed JSON in base64',
    body: { blob: gzipSync(json).toString('base64'), plan: SEEN },
    understood: true,
  },
  {
    name: 'JSON in hexadecimal',
    body: { blob: Buffer.from(json).toString('hex'), plan: SEEN },
    understood: true,
  },
  {
    name: 'JSON in an address',
    body: { url: `https://x.example/?state=${encodeURIComponent(json)}`, plan: SEEN },
    understood: true,
  },
  {
    name: 'a data address',
    body: { href: `data:application/json;base64,${base64(json)}`, plan: SEEN },
    understood: true,
  },
  {
    name: 'JSON in entities',
    body: { note: json.replaceAll('"', '&quot;').replaceAll('s', '&#115;'), plan: SEEN },
    understood: true,
  },
  { name: 'base64 in base64', body: { blob: base64(base64(json)), plan: SEEN }, understood: true },
  {
    name: 'JSON with a prefix',
    type: 'application/json',
    body: `)]}',\n${json}`,
    understood: true,
  },
  {
    name: 'JSON as an argument',
    type: 'application/javascript',
    body: `callback(${json});`,
    understood: true,
  },
  {
    name: 'JSON that was cut off',
    type: 'application/json',
    body: json.slice(0, -10),
    withheld: true,
  },
  {
    name: 'an object of Python',
    type: 'text/plain',
    body: `{'id': 'c1', 'ssn': '${ssn}', 'active': True, 'nickname': '${nickname}', 'plan': '${SEEN}'}`,
    understood: true,
  },
  {
    name: 'a hash of Ruby',
    type: 'text/plain',
    body: `{:id=>"c1", :ssn=>"${ssn}", :nickname=>"${nickname}"}`,
    withheld: true,
  },
  {
    name: 'a serialised array of PHP',
    type: 'text/plain',
    body: `a:2:{s:3:"ssn";s:11:"${ssn}";s:8:"nickname";s:22:"${nickname}";}`,
    withheld: true,
  },
  {
    name: 'values of a log',
    type: 'text/plain',
    body: `level=info msg=found ssn=${ssn} nickname=${nickname} plan=${SEEN}`,
    understood: true,
  },
  {
    name: 'variables',
    type: 'text/plain',
    body: `export ID=c1\nexport SSN="${ssn}"\nexport NICKNAME='${nickname}'\nexport PLAN=${SEEN}\n`,
    understood: true,
  },
  {
    name: 'lines of JSON in a text of a field',
    body: { log: `${json}\n${json}`, plan: SEEN },
    understood: true,
  },
  {
    name: 'values parted by semicolons in a field',
    body: { export: `id;ssn;nickname\nc1;${ssn};${nickname}\n`, plan: SEEN },
    understood: true,
  },
  {
    name: 'a dump with the columns of its table',
    type: 'text/plain',
    body: `CREATE TABLE people (id text PRIMARY KEY, ssn varchar(11), nickname text, plan text);\nINSERT INTO people VALUES ('c1','${ssn}','${nickname}','${SEEN}');\n`,
    understood: true,
  },
  {
    name: 'rows that are copied',
    type: 'text/plain',
    body: `COPY people (id, ssn, nickname) FROM stdin;\nc1\t${ssn}\t${nickname}\n\\.\n`,
    withheld: true,
  },
  {
    name: 'heads of a message',
    type: 'message/rfc822',
    body: `From: desk@x.example\nX-SSN: ${ssn}\nX-Nickname: ${nickname}\n\nMaria is called ${nickname}.\n`,
  },
  {
    name: 'a sentence under a general name',
    body: {
      results: [
        { id: 1, snippet: `… ssn ${ssn} …`, plan: SEEN },
        { id: 2, snippet: `nickname – ${nickname}`, plan: SEEN },
      ],
    },
    understood: true,
  },
  {
    name: 'a message of an error with the value',
    body: {
      errors: [
        { path: ['person', 'ssn'], message: `${ssn} is taken`, value: ssn },
        { field: 'nickname', message: nickname },
      ],
      plan: SEEN,
    },
    understood: true,
  },
  {
    name: 'words before data',
    type: 'text/plain',
    body: `Found Maria, called ${nickname}:\n${JSON.stringify(person, null, 2)}`,
    understood: true,
  },
  { name: 'a list of numbers', body: [number, number], withheld: true },
  {
    name: 'letters of other forms',
    body: {
      'S.S.N.': ssn,
      ＮＩＣＫＮＡＭＥ: nickname,
      'E\u2011Mail': email,
      'Credit\u00A0Limit': number,
      plan: SEEN,
    },
    understood: true,
  },
]
