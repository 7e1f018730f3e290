import { asBlock } from '../text/markdown.ts'

/** What holds for all commands, before they come one by one. */
export const referenceBeginning = (
  description: string,
  options: { readonly common: readonly string[]; readonly program: readonly string[] },
  contents: string,
): string => `# The command line

<!-- Written by \`npm run references\` from the commands themselves. To change it, change what their help says. -->

${description}
\`paytwin --help\` lists the commands, and \`--help\` behind a command says of it what stands here. Where the package is installed in a project it is
\`npx paytwin\`, in a clone \`node bin/paytwin.js\`.

${asBlock('paytwin [options] [command]')}

${options.program.join('\n')}

## Contents

- [Options that commands share](#options-that-commands-share), [where the daemon is](#where-the-daemon-is),
  [what is printed](#what-is-printed), [exit status](#exit-status)
${contents}

## Options that commands share

All commands have \`-h, --help\`. Those that ask a daemon have these too:

${options.common.join('\n')}

\`<NAME>\` has to be given, \`[NAME]\` can be left out, and \`...\` means one or more: \`--type invoice.paid invoice.voided\`. A name
with a star is a glob, and the shell has to leave it alone: \`--type 'invoice.*'\`.

## Where the daemon is

A command takes the first of these:

1. \`--url\`, or the variable \`PAYTWIN_URL\`.
2. What the daemon wrote into its data folder when it started. The folder is \`--data\`, or the variable \`PAYTWIN_DATA\`, or \`.paytwin\`
   in the working directory.
3. \`http://127.0.0.1:4242\`.

The admin token comes from \`PAYTWIN_ADMIN_TOKEN\`, or from the file that \`PAYTWIN_ADMIN_TOKEN_FILE\` names, or from the data folder. The
folder's token is only ever sent to the folder's own daemon. A data folder that belongs to another user than you or root is refused, and
so are such files in it. For a daemon on another machine, and for one that was started with
\`--ephemeral\`, give \`PAYTWIN_URL\` and \`PAYTWIN_ADMIN_TOKEN\`.

## What is printed

On a terminal there are tables and colours. In a pipe, or with the variable \`NO_COLOR\`, there are plain lines whose fields are separated
by tabs, without titles. Times are in UTC, as in \`2026-01-31T10:00:00Z\`.

With \`--json\` the answer alone goes to stdout: one object or one list, in the form of the [API](api.md). What goes on until it
is interrupted, such as \`events tail\`, prints one object a line. Whatever else there is to say goes to stderr.

## Exit status

- \`0\`: done.
- \`1\`: the daemon refused. The message and the code of the error are on stderr; [the API](api.md#errors) explains the codes.
- \`2\`: wrong usage. Nothing was done.
- \`3\`: no daemon answers.

\`paytwin run\` exits as the command that it runs. A \`clock advance\` that Ctrl-C or SIGTERM ended exits with 130 or 143.`
