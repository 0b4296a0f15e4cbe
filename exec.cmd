@rem For the scripts of package.json: the shells of other systems have exec.
@%*
