# The command `walproof` with everything that needs Python alone: docs/continuous-integration.md.
# docker build --tag walproof . && docker run --rm --volume "$PWD:/work:ro" walproof 000003.log

FROM python:3.12-slim AS build
WORKDIR /source
COPY requirements.txt requirements-node.txt requirements-dev.txt ./
# The compiler of the grammars runs on Node.js, here and not in the image: the wheel holds its parsers.
RUN python -m venv /opt/build \
 && /opt/build/bin/pip install --no-cache-dir --disable-pip-version-check \
      --requirement requirements.txt --requirement requirements-node.txt \
      "$(grep '^hatchling==' requirements-dev.txt)"
COPY . .
RUN PATH="/opt/build/bin:$PATH" python -m hatchling build --target wheel --directory /opt/wheel

FROM python:3.12-slim
# EXTRAS=fast brings bulk scanners and tables, at a quarter of a gigabyte.
ARG EXTRAS=
COPY requirements.txt /opt/
COPY --from=build /opt/wheel /opt/wheel
RUN python -m venv /opt/walproof \
 && set -- /opt/wheel/*.whl \
 && /opt/walproof/bin/pip install --no-cache-dir --disable-pip-version-check \
      --constraint /opt/requirements.txt "$1${EXTRAS:+[$EXTRAS]}" \
 && apt-get update && apt-get install --yes --no-install-recommends bubblewrap \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --create-home walproof
USER 10001
WORKDIR /work
ENV PATH="/opt/walproof/bin:$PATH"
ENTRYPOINT ["walproof"]
