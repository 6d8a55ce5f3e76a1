import type { StarterOffer } from '@amodal/plugin-repo-files/tokens'

/** The file in the agent folder. */
export const PAGE = 'widget.html'

/** What `amodal init --with widget` writes: a page to try the widget on, and to copy from. */
export const STARTER: StarterOffer = {
  question: 'Put a chat with it on a web page?',
  files: [
    {
      path: PAGE,
      text: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>A page with a chat</title>
  </head>
  <body>
    <h1>A page with a chat</h1>
    <!-- \`amodal dev\` serves this page at /widget.html. Copy the next line to pages of your own, with
         the address of the agent's server in front of /widget.js. Allow the origin of these pages with
         \`cors.origins\` of the plugin "http" in amodal.json, and give \`data-token-url\` the path of your
         server that returns a token. -->
    <script src="/widget.js" data-heading="Ask us" async></script>
  </body>
</html>
`,
    },
  ],
}
