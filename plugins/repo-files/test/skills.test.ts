import { describe, expect, it } from 'vitest'
import { folder, load, told } from './support.ts'

const skill = (text: string) => async () => {
  const bundle = await load(await folder({ 'skills/one/SKILL.md': text }))
  return { skill: bundle.skills[0], told: told(bundle.issues) }
}

describe('skills', () => {
  it('take description and trigger from wherever they stand above the first section', async () => {
    const read = skill(
      '\n# Skill: Check\nFirst line\nof two.\nTrigger: When asked\nand when not.\n\nMore about it.\n\n- a\n\n## Steps\n\nTrigger: not this one\n',
    )
    expect((await read()).skill).toEqual({
      name: 'Check',
      description: 'First line of two.',
      trigger: 'When asked and when not.',
      body: 'More about it.\n\n- a\n\n## Steps\n\nTrigger: not this one',
      file: 'skills/one/SKILL.md',
    })
  })

  it('may put the trigger later, in bold, and go without sections', async () => {
    expect(
      (await skill('# Check\n\nWhat it is.\n\nHow it goes.\n\n**Trigger:** When asked.')()).skill,
    ).toMatchObject({
      name: 'Check',
      description: 'What it is.',
      trigger: 'When asked.',
      body: 'How it goes.',
    })
    expect((await skill('1. Look\n2. Tell')()).skill).toMatchObject({
      name: 'one',
      description: '',
      trigger: '',
      body: '1. Look\n2. Tell',
    })
  })

  it('keep the text of frontmatter as it stands', async () => {
    expect(
      (
        await skill(
          '---\nname: f\ndescription: "Does: things"\n---\n# Steps\n\nFirst paragraph.\n\nSecond.',
        )()
      ).skill,
    ).toMatchObject({
      name: 'f',
      description: 'Does: things',
      trigger: '',
      body: '# Steps\n\nFirst paragraph.\n\nSecond.',
    })
    expect(
      (await skill('---\nname: f\n---\n# Skill: Longer name\n\nWhat it is.\n\n## Steps\nx')())
        .skill,
    ).toMatchObject({ name: 'f', description: 'What it is.', body: '## Steps\nx' })
  })

  it('may be flat files, named after them', async () => {
    const { skills } = await load(
      await folder({
        'skills/general.md': 'Answer well.\n\n## Steps\nThink.',
        'skills/README.md': '# About this folder',
      }),
    )
    expect(skills).toEqual([
      {
        name: 'general',
        description: 'Answer well.',
        trigger: '',
        body: '## Steps\nThink.',
        file: 'skills/general.md',
      },
    ])
  })

  it.for([
    [
      'frontmatter that is not closed',
      '---\nname: x\n\n## Steps',
      1,
      'the frontmatter is not closed',
      'put ---',
    ],
    [
      'frontmatter that is no YAML',
      '---\nname: x\ndescription: Use when: asked\n---\nbody',
      3,
      'is no valid YAML',
      'in quotes',
    ],
    [
      'frontmatter that multiplies',
      `---\na: &a [${'x,'.repeat(20)}]\nb: &b [${'*a,'.repeat(20)}]\nc: [${'*b,'.repeat(20)}]\n---\nbody`,
      1,
      'is no valid YAML',
      'correct the YAML',
    ],
    ['frontmatter without fields', '---\n- a\n---\nbody', 2, 'holds no fields', 'name: value'],
    [
      'nothing to do',
      '# Skill: X\n\nOnly a description.\n',
      1,
      'has no methodology',
      '## Behavior',
    ],
    ['an empty file', '', 1, 'has no methodology', 'write the steps'],
  ] as const)('leave out %s, and nothing else', async ([, text, line, message, fix]) => {
    const bundle = await load(
      await folder({
        'skills/bad/SKILL.md': text,
        'skills/good/SKILL.md': '# Skill: Good\n\nIs good.\n\n## Steps\n1. Do',
      }),
    )
    expect(bundle.skills.map(({ name }) => name)).toEqual(['Good'])
    expect(bundle.issues).toEqual([
      {
        severity: 'error',
        code: 'BAD_REPO',
        file: 'skills/bad/SKILL.md',
        line,
        message: expect.stringContaining(message),
        fix: expect.stringContaining(fix),
      },
    ])
  })

  it('with one name twice: the folder wins over the flat file', async () => {
    const bundle = await load(
      await folder({
        'skills/a.md': '# Skill: Triage\n\nx\n\n## S\ny',
        'skills/triage/SKILL.md': '# Skill: triage\n\nx\n\n## S\ny',
      }),
    )
    expect(bundle.skills.map(({ file }) => file)).toEqual(['skills/triage/SKILL.md'])
    expect(told(bundle.issues)).toEqual([
      'error skills/a.md:1 the skill "Triage" exists already, in skills/triage/SKILL.md; this one is left out — give one of them another name',
    ])
  })

  it('that nobody would find are told of', async () => {
    const bundle = await load(
      await folder({ 'skills/one/SKILL.md': '## Steps\n1. x', 'skills/two/skill.txt': 'x' }),
    )
    expect(told(bundle.issues)).toEqual([
      'warning skills/one/SKILL.md:1 nothing says what the skill "one" is for — add a first paragraph and a line `Trigger: When …`',
      'warning skills/two:- this skill has no SKILL.md and is not read — name its text SKILL.md',
    ])
  })
})

describe('skills in the Agent Skills format', () => {
  const whole = `---
name: pdf-forms
description: Fills forms.
license: Apache-2.0
compatibility: Needs a renderer
metadata:
  author: somebody
  version: 1.5
allowed-tools: request Bash(git:*), query_store
---
Steps.`

  it('keep all six fields, and the files beside them stay files', async () => {
    const bundle = await load(
      await folder({
        'skills/pdf-forms/SKILL.md': whole,
        'skills/pdf-forms/references/fields.md': 'a',
        'skills/pdf-forms/scripts/fill.py': 'b',
      }),
    )
    expect(bundle.issues).toEqual([])
    expect(bundle.skills).toEqual([
      {
        name: 'pdf-forms',
        description: 'Fills forms.',
        trigger: '',
        body: 'Steps.',
        file: 'skills/pdf-forms/SKILL.md',
        license: 'Apache-2.0',
        compatibility: 'Needs a renderer',
        metadata: { author: 'somebody', version: '1.5' },
        allowedTools: ['request', 'Bash(git:*)', 'query_store'],
      },
    ])
    expect(bundle.files.map(({ path }) => path)).toEqual([
      'skills/pdf-forms/references/fields.md',
      'skills/pdf-forms/scripts/fill.py',
    ])
  })

  it.for([
    ['name', 65, 2, 64],
    ['description', 1_025, 3, 1_024],
    ['compatibility', 501, 5, 500],
  ] as const)(
    'are left out with a %s of %i characters, named with file and line, and the rest works',
    async ([field, size, line, most]) => {
      const text = whole.replace(new RegExp(`^${field}: .*$`, 'm'), `${field}: ${'a'.repeat(size)}`)
      const bundle = await load(
        await folder({
          'skills/pdf-forms/SKILL.md': text,
          'skills/good/SKILL.md': '---\nname: good\ndescription: Is good.\n---\nDo.',
        }),
      )
      expect(bundle.skills.map(({ name }) => name)).toEqual(['good'])
      expect(told(bundle.issues)).toEqual([
        `error skills/pdf-forms/SKILL.md:${line} \`${field}\` has ${size} characters, more than the ${most} allowed, and the skill is left out — shorten it to ${most} characters`,
      ])
    },
  )

  it('work with what is not in order, and are told of it', async () => {
    const bundle = await load(
      await folder({
        'skills/a/SKILL.md': '---\nname: Pdf Forms\ndescription: x\n---\nDo.',
        'skills/b/SKILL.md': '---\nname: other\ndescription: x\n---\nDo.',
        'skills/c/SKILL.md':
          '---\nname: c\ndescription: x\nlicence: MIT\nversion: 2\nmetadata: text\nallowed-tools: 5\n---\nDo.',
      }),
    )
    expect(bundle.skills.map(({ name }) => name)).toEqual(['Pdf Forms', 'other', 'c'])
    expect(told(bundle.issues)).toEqual([
      'warning skills/a/SKILL.md:2 "Pdf Forms" is no name of a skill that other engines take — use small letters, digits and single hyphens, as in incident-response',
      'warning skills/b/SKILL.md:2 the skill "other" stands in the folder "b" — give both the same name',
      'warning skills/c/SKILL.md:4 `licence` is not a known field; did you mean `license`? — rename it to `license`',
      'warning skills/c/SKILL.md:5 `version` is not a known field — put it below `metadata`, or remove it',
      'warning skills/c/SKILL.md:6 `metadata` holds no names with texts, and is left out — write one `name: "text"` a line, indented',
      'warning skills/c/SKILL.md:7 `allowed-tools` names no tools, and is left out — write their names with spaces between',
    ])
  })
})

describe('bootstrap files', () => {
  it('are files of the bundle, and change its hash', async () => {
    const dir = await folder({ 'SOUL.md': 'Kind.', 'README.md': 'not read' })
    const before = await load(dir)
    expect(before.files).toEqual([{ path: 'SOUL.md', text: 'Kind.' }])
    expect((await load(await folder({ 'SOUL.md': 'Stern.' }))).hash).not.toBe(before.hash)
  })
})

describe('knowledge', () => {
  it('is named by its path and titled by its first heading outside of code', async () => {
    const { knowledge, issues } = await load(
      await folder({
        'knowledge/a.md': '# Knowledge: The A\n\ntext\n\n# Another',
        'knowledge/team/b.md': '```sh\n# a comment\n```\n\n# The B\ntext',
        'knowledge/c.md': '---\ntitle: The C\ncategory: y\ntags: [x, z, x]\n---\njust text',
        'knowledge/d.md': 'just text',
        'knowledge/notes.txt': 'not a document',
      }),
    )
    expect(knowledge.map(({ name, title, body }) => ({ name, title, body }))).toEqual([
      { name: 'a', title: 'The A', body: 'text\n\n# Another' },
      { name: 'c', title: 'The C', body: 'just text' },
      { name: 'd', title: 'd', body: 'just text' },
      { name: 'team/b', title: 'The B', body: '```sh\n# a comment\n```\n\ntext' },
    ])
    expect(issues).toEqual([])
    expect(knowledge.flatMap(({ name, tags = [] }) => tags.map((tag) => `${name}:${tag}`))).toEqual(
      ['c:y', 'c:x', 'c:z'],
    )
  })

  it('leaves out a document that is empty or broken', async () => {
    const bundle = await load(
      await folder({
        'knowledge/a.md': '# Only a title',
        'knowledge/b.md': '---\na: [\n---\nx',
        'knowledge/c.md': 'c',
      }),
    )
    expect(bundle.knowledge.map(({ name }) => name)).toEqual(['c'])
    expect(bundle.issues).toMatchObject([
      { file: 'knowledge/a.md', line: 1, fix: expect.any(String) },
      { file: 'knowledge/b.md', severity: 'error', fix: 'correct the YAML' },
    ])
  })
})

describe('instructions', () => {
  it('are the text of agents/main/AGENT.md, and win over the flat file', async () => {
    const { instructions } = await load(
      await folder({
        'agents/main/AGENT.md': '---\ndisplayName: Main\nmaxDepth: 2\n---\n# Agent: X\n\nBe kind.',
        'agents/main.md': 'older',
      }),
    )
    expect(instructions).toEqual({
      name: 'Main',
      body: '# Agent: X\n\nBe kind.',
      file: 'agents/main/AGENT.md',
      fields: { displayName: 'Main', maxDepth: 2 },
    })
  })

  it('may be the flat file of older repos, or be missing', async () => {
    expect(
      (await load(await folder({ 'agents/main.md': '# Agent: Old\n\nx' }))).instructions,
    ).toMatchObject({ name: 'Old', file: 'agents/main.md' })
    expect((await load(await folder())).instructions).toBeUndefined()
  })

  it('are left out where they are empty', async () => {
    const bundle = await load(await folder({ 'agents/main/AGENT.md': ' \n' }))
    expect(bundle.instructions).toBeUndefined()
    expect(told(bundle.issues)).toEqual([
      'error agents/main/AGENT.md:1 the instructions are empty and are left out — write them, or delete the file',
    ])
  })
})
