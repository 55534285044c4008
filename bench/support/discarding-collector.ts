import { createServer } from 'node:http';

/** Program: an OTLP collector that reads requests and discards them. Argument: the port. */
const server = createServer((request, response) => {
  request.on('end', () => response.writeHead(200).end());
  request.resume();
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('collector is up\n'));
process.once('SIGTERM', () => process.exit());
