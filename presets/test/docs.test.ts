import { join } from 'node:path'
import { expect, test } from 'vitest'
import { amodal, folder } from './support.ts'

const docs = {
  'README.md': '# All pages\n',
  'cook.md':
    '# Cook\n\nIntroduction.\n\n## With `salt`\n\nSalted.\n\n### How much\n\nA pinch.\n\n```sh\n# no heading\n```\n\n## Without\n\nPlain.\n',
  'plugins/oven.md': '# oven\n',
}

test.each([
  [[], /^ {2}README +All pages\n {2}cook +Cook\n {2}plugins\/… +1 pages\n/],
  [['cook'], /^# Cook\n\nIntro[^]*Plain\.\n$/],
  [['docs/cook.md'], /^# Cook\n/],
  [['../plugins/oven.md'], /^# oven\n$/],
  [['cook#with-salt'], /^## With `salt`\n\nSalted\.[^]*A pinch\.\n\n```sh\n# no heading\n```\n$/],
  [['cook#how-much'], /^### How much[^]*```\n$/],
  [['plugins/oven'], /^# oven\n$/],
  [['SALT'], /^ {2}amodal docs cook#with-salt {2}With salt\n$/],
])('amodal docs %j prints it', async (argv, output) => {
  await using pages = await folder(docs)
  const { code, out, err } = await amodal(['docs', ...argv], { docs: pages.dir })
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(output)
})

test.each([
  [['coock'], 1, 'there is no page "coock"; did you mean `cook`?'],
  [['cook#no-heading'], 1, 'there is no page "cook#no-heading"'],
  [['../nowhere'], 1, 'there is no page "../nowhere"'],
  [['cook', 'salt'], 2, 'name one page'],
])('amodal docs %j is refused', async (argv, exit, message) => {
  await using pages = await folder(docs)
  const { code, out, err } = await amodal(['docs', ...argv], { docs: pages.dir })
  expect([code, out]).toEqual([exit, ''])
  expect(err).toContain(message)
})

test.each([[undefined], [join(import.meta.dirname, 'nowhere')]])(
  'without pages in %s it says so',
  async (dir) => {
    expect(await amodal(['docs'], dir === undefined ? {} : { docs: dir })).toMatchObject({
      code: 1,
      err: expect.stringContaining('the pages are not installed'),
    })
  },
)
