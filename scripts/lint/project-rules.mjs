/**
 * Rules of this repository that oxlint does not have.
 *
 * @typedef {{ value: string, loc: { start: { line: number, column: number } } }} Comment
 *
 * @typedef {object} Context what is used of the one that a rule of ESLint gets
 * @property {{ getAllComments: () => Comment[] }} sourceCode
 * @property {(problem: { message: string, node?: unknown, loc?: unknown }) => void} report
 */

const COLUMNS = 100

const ENVIRONMENT =
  'Configuration comes in through config and the Secrets slot; only plugins/secrets-env, presets/ and cli/ read the environment.'

/** oxfmt lays code out, and leaves the lines of comments as they are. */
const commentLength = {
  /** @param {Context} context */
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        const { start } = comment.loc
        comment.value.split('\n').forEach((text, at) => {
          const columns = text.trimEnd().length + (at === 0 ? start.column + 2 : 0)
          if (columns > COLUMNS && !text.includes('://'))
            context.report({
              message: `This line of a comment has ${columns} columns; ${COLUMNS} are allowed.`,
              loc: {
                start: { line: start.line + at, column: 0 },
                end: { line: start.line + at, column: columns },
              },
            })
        })
      }
    },
  }),
}

/** Who reads the environment reads what somebody may have set for another program. */
const noEnvironment = {
  /** @param {Context} context */
  create(context) {
    /** @param {unknown} node */
    const report = (node) => context.report({ node, message: ENVIRONMENT })
    return {
      "MemberExpression[object.name='process'][property.name='env']": report,
      "MemberExpression[object.property.name='process'][property.name='env']": report,
      "VariableDeclarator[init.name='process'] Property[key.name='env']": report,
      "ImportDeclaration[source.value=/^(node:)?process$/] ImportSpecifier[imported.name='env']":
        report,
    }
  },
}

export default {
  meta: { name: 'project' },
  rules: { 'comment-length': commentLength, 'no-environment': noEnvironment },
}
