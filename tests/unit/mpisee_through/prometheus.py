#!/usr/bin/env python3
"""prometheus.py MPISEE_THROUGH: Debian's promtool accepts the metrics, and a Prometheus that scrapes node_exporter answers about them."""
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

here = Path(__file__).resolve().parent
tool = Path(sys.argv[1]).resolve()
docs = here.parents[2] / "docs"
PATIENCE = 120  # seconds


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def asked(port, query):
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)["data"]["result"]
    except OSError:
        return []


def answered(port, query):
    until = time.monotonic() + PATIENCE
    while not (found := asked(port, query)) and time.monotonic() < until:
        time.sleep(0.2)
    return found


def main():
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        (home / "metrics").mkdir()
        for sample in ("sample", "sample-odd", "sample-waits", "sample-messages"):
            subprocess.run([tool, "export", "openmetrics", here / sample, "-o", home / f"metrics/{sample}.prom"], check=True)
            checked = subprocess.run(["promtool", "check", "metrics"], input=(home / f"metrics/{sample}.prom").read_bytes(), capture_output=True)
            assert checked.returncode == 0 and not checked.stderr, checked.stderr.decode()
        exporter, server = free_port(), free_port()
        (home / "prometheus.yml").write_text(
            f"scrape_configs:\n- job_name: node\n  scrape_interval: 1s\n  static_configs: [{{targets: ['127.0.0.1:{exporter}']}}]\n")
        commands = (
            ["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={home}/metrics",
             f"--web.listen-address=127.0.0.1:{exporter}"],
            ["prometheus", f"--config.file={home}/prometheus.yml", f"--storage.tsdb.path={home}/data", f"--web.listen-address=127.0.0.1:{server}"])
        running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in commands]
        try:
            found = answered(server, 'sum(commprof_calls_total{run="sample"})')
            calls = sum(int(line.split(",")[7]) for line in (here / "sample/operations.csv").read_text().splitlines()[1:])
            assert found and float(found[0]["value"][1]) == calls, (found, calls)
            # The dashboard and the alert of the documentation ask for what there is.
            dashboard = json.loads((docs / "grafana.json").read_text())
            assert dashboard["schemaVersion"] >= 36 and dashboard["title"]
            for panel in dashboard["panels"]:
                for target in panel["targets"]:
                    if "quiet" not in target["expr"]:  # only of a run that goes on
                        assert answered(server, target["expr"].replace('="$run"', '=~".+"')), target["expr"]
        finally:
            for one in running:
                one.kill()
                one.wait()


main()
