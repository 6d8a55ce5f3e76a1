import type { StarterOffer } from '@amodal/plugin-repo-files/tokens'

/** What `amodal init --with widget` writes: a page to try the widget on, and to copy from. */
export const STARTER: StarterOffer = {
  question: 'Put a chat with it on a web page?',
  files: [
    {
      path: 'widget.html',
      text: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>A page with a chat</title>
  </head>
  <body>
    <h1>A page with a chat</h1>
    <!-- Copy this line to your pages. Allow their origin with \`cors.origins\` of the plugin "http"
         in amodal.json, and give \`data-token-url\` the path of your server that returns a token. -->
    <script src="http://127.0.0.1:3847/widget.js" data-heading="Ask us" async></script>
  </body>
</html>
`,
    },
  ],
}
