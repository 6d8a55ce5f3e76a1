import { defineError } from '@amodal/sdk'

export const AssetTooLarge = defineError({
  code: 'ASSET_TOO_LARGE',
  status: 413,
  about: 'A file, or the files of one message together, have more bytes than are taken.',
  fix: 'send a smaller file, or raise the limit of the plugin `assets` that is named',
})

export const AssetsFull = defineError({
  code: 'ASSETS_FULL',
  status: 507,
  about: 'The files of this tenant take all the room that they may have.',
  fix: 'delete files that nobody needs, or raise `maxTenantBytes` of the plugin `assets`',
})

export const AssetTypeRefused = defineError({
  code: 'ASSET_TYPE_REFUSED',
  status: 415,
  about: 'A file is of a type that is not taken, or not of the type that its sender says.',
  fix: 'send it with the type that it really has, one of `types` of the plugin `assets`',
})

export const AssetNotFetched = defineError({
  code: 'ASSET_NOT_FETCHED',
  status: 502,
  about: 'The server that a URL names did not answer with a file.',
  fix: 'check that anybody can open the URL, or upload the file itself',
})

export const AssetStorageFailed = defineError({
  code: 'ASSET_STORAGE_FAILED',
  status: 503,
  about: 'The place outside of the database where the bytes of files are cannot be used.',
  fix: 'check the `folder` of the plugin `assets`, or the plugin that stores its bytes',
})

export const AssetDamaged = defineError({
  code: 'ASSET_DAMAGED',
  status: 422,
  about: 'The bytes that came are not those whose SHA-256 the sender has said.',
  fix: 'send the file again',
})
