/**
 * Texts by which a reader's client turns to a host without being asked: Markdown of CommonMark and its dialects, HTML of
 * the standard, with the spellings that parsers take for the same. `HOST` stands for the host of each.
 */
const IMAGES = [
  '![a](https://HOST/a.png)', '![a](http://HOST/a.png "t")', '![a](<https://HOST/a b.png>)', '![a](//HOST/a.png)', '![a](/\\HOST/a.png)', '![a](https:/HOST/a.png)', '![](https://HOST)',
  '![a][r]\n\n[r]: https://HOST/a.png', '![r]\n\n[r]: <https://HOST/a.png> "t"', '![r][]\n\n> [r]: https://HOST/a.png', '![a](\n  https://HOST/a.png\n)', '![a](&#104;ttps://HOST/a.png)', '![a](ht&#x74;ps&colon;//HOST/a)',
  '![a [b](c) d](https://HOST/a.png)', '![a\nb](https://HOST/a.png)', '[![a](https://HOST/a.png)](https://HOST/b)', '- ![a](https://HOST/a.png)', '| a |\n| - |\n| ![a](https://HOST/a.png) |', '# ![a](https://HOST/a.png)',
  '**![a](https://HOST/a.png)**', '\\\\![a](https://HOST/a.png)', '![a](https://HOST/a.png "t\nu")', '![a](https://user@HOST/a.png)', '![a][r]\n\n[r]:\n  https://HOST/a.png', '!\u005Ba](HTTPS://HOST/a.png)',
]
const TAGS = [
  '<img src="https://HOST/a">', '<img src=https://HOST/a>', '<IMG SRC=\'https://HOST/a\'>', '<img\nsrc\n=\n"https://HOST/a"\n>', '<img alt=">" src="https://HOST/a">', '<img src="&#104;ttps://HOST/a">', '<img src="//HOST/a">', '<img src="\\\\HOST\\a">',
  '<img srcset="https://HOST/a 1x">', '<img src="/a.png" srcset="https://HOST/a 2x, https://HOST/b 1x">', '<picture><source srcset="https://HOST/a"><img src="/a.png"></picture>', '<video poster="https://HOST/a"></video>', '<video src="https://HOST/a" autoplay></video>',
  '<audio src="https://HOST/a" preload=auto></audio>', '<video><source src="https://HOST/a"></video>', '<iframe src="https://HOST/a"></iframe>', '<iframe srcdoc="<img src=https://HOST/a>"></iframe>', '<object data="https://HOST/a"></object>', '<embed src="https://HOST/a">',
  '<script src="https://HOST/a"></script>', '<script>new Image().src = "https://HOST/a"</script>', '<link rel="stylesheet" href="https://HOST/a">', '<link rel=preload as=image href="https://HOST/a">', '<style>@import "https://HOST/a";</style>', '<style>body { background: url(https://HOST/a) }</style>',
  '<div style="background:url(https://HOST/a)">x</div>', '<p style="background-image:u\\72l(https://HOST/a)">x</p>', '<b style="list-style:url(https://HOST/a);display:list-item">x</b>', '<table background="https://HOST/a"><tr><td>x</td></tr></table>', '<table><td background="https://HOST/a">x</td></table>', '<meta http-equiv="refresh" content="0;url=https://HOST/a">',
  '<base href="https://HOST/"><img src="a.png">', '<input type=image src="https://HOST/a">', '<svg><image href="https://HOST/a" /></svg>', '<svg><image xlink:href="https://HOST/a"/></svg>', '<svg width=9 height=9><rect width=9 height=9 style="fill:url(https://HOST/a#x)"/></svg>',
  '<svg><style>@import "https://HOST/a";</style></svg>', '<svg><script href="https://HOST/a"></script></svg>', '<body background="https://HOST/a">', '<img src="x" onerror="this.src=\'https://HOST/a\'">',
]
const HIDDEN = [
  '<img/src="https://HOST/a">', '<img src="https://HOST/a" ', '<a title="<img src=https://HOST/a>">x</a>', '<!-- x --><img src="https://HOST/a">', '<!-- <!-- --> <img src="https://HOST/a"> -->', '<div>\n```\n<img src="https://HOST/a">\n```\n</div>', '<pre>\n\n```\n<img src="https://HOST/a">\n```\n</pre>',
  '1. x\n\n   ```\n<img src="https://HOST/a">\n   ```', '> ```\n<img src="https://HOST/a">\n', '~~~\r~~~\r<img src="https://HOST/a">', '```\r\ncode\r\n```\r\n![a](https://HOST/a.png)', '``` `x`\n![a](https://HOST/a.png)\n```', '`a` ![a](https://HOST/a.png) `b`', '`` ` `` <img src="https://HOST/a">',
  '<img\tsrc="https://HOST/a">', '<img\fsrc="https://HOST/a">', '<img src="https://HOST/a"/>', '<image src="https://HOST/a">', '<details open><summary>x</summary>\n\n![a](https://HOST/a.png)\n\n</details>', '<x-y><img src="https://HOST/a"></x-y>', '<template></template><img src="ht\ntps://HOST/a">',
  '<title></title><img src="https://HOST/a">', '<textarea></textarea><img src=" https://HOST/a ">', '<noscript><img src="https://HOST/a"></noscript><img src="https://HOST/b">', '<math><mtext><img src="https://HOST/a"></mtext></math>', '<svg></p><img src="https://HOST/a">', '<select><option></option></select><img src="https://HOST/a">',
  '<table><img src="https://HOST/a"></table>', '<button><img src="https://HOST/a"></button>', '<p>![a](https://HOST/a.png)\n\n![b](https://HOST/b.png)', '<video poster=\'https://HOST/a\' width=9>', '<frameset><frame src="https://HOST/a"></frameset>', '<object><embed src="https://HOST/a"></object>', '&lt;img> <img src="https://HOST/a">',
  '<img src="https://HOST/a"><![CDATA[ x ]]>', 'x\n\n```\ncode\n   ```\n<img src="https://HOST/a">\n',
]
export const FORMS: readonly string[] = [...IMAGES, ...TAGS, ...HIDDEN]
