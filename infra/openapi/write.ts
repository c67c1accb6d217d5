/** `muster openapi`: writes docs/openapi.json and the client's types from the routes as they are. */
import { writeFile } from 'node:fs/promises';
import { clientFile, documentFile, writeClient, writeDocument } from './document.ts';

const document = await writeDocument();
await writeFile(documentFile, document);
await writeFile(clientFile, await writeClient(document));
