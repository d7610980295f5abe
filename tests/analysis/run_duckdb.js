// run_duckdb.js QUERY: prints the rows of the answer as JSON.
const { DuckDBInstance } = require("@duckdb/node-api");

async function main(query) {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const answer = await connection.runAndReadAll(query);
  console.log(JSON.stringify(answer.getRowsJson()));
}

main(process.argv[2]).catch((problem) => {
  console.error(problem.message);
  process.exit(1);
});
