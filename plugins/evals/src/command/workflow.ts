import type { StarterOffer } from '@amodal/plugin-repo-files/tokens'

/** The name that `amodal init --with` takes. */
export const WORKFLOW_NAME = 'github-evals'

const WORKFLOW = `# Runs the evals of the agent for each pull request.
#
# It fails where a case is worse than in evals/baseline.json. To store a baseline:
#   npx amodal eval --save-baseline
# For a case whose model or judge needs a key, add that secret to the repository.
name: evals
on:
  pull_request:
  workflow_dispatch:

permissions:
  contents: read

jobs:
  evals:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v5
        with:
          fetch-depth: 0
      - uses: actions/setup-node@v5
        with:
          node-version: 24
      - run: npm install --no-save amodal
      - run: npx amodal validate
      - name: Run what the pull request touches
        env:
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
          OPENAI_API_KEY: \${{ secrets.OPENAI_API_KEY }}
          GOOGLE_API_KEY: \${{ secrets.GOOGLE_API_KEY }}
          BASE: \${{ github.base_ref && format('origin/{0}', github.base_ref) }}
        run: |
          fail_on=any
          if [ -f evals/baseline.json ]; then fail_on=regress; fi
          npx amodal eval \${BASE:+--changed "$BASE"} --fail-on "$fail_on" --reporter junit --output evals.xml
      - if: always()
        uses: actions/upload-artifact@v5
        with:
          name: evals
          path: evals.xml
          if-no-files-found: ignore
`

/** A workflow for GitHub Actions, which \`amodal init\` offers. */
export const workflowOffer: StarterOffer = {
  question: 'Run its evals in GitHub Actions for each pull request?',
  files: [{ path: '.github/workflows/evals.yml', text: WORKFLOW }],
}
